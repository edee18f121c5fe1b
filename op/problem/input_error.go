package problem

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/op/jsonschema"
)

// InputError describes one invalid input: an element of a problem's errors. Value types return it from UnmarshalText
// without Parameter and Received, which bind fills in.
type InputError struct {
	Parameter  string    `json:"parameter" doc:"Name of the parameter, field or header; empty for the request as a whole."`
	Code       InputCode `json:"code" doc:"The kind of error. Codes are stable; new ones may be added."`
	Received   *string   `json:"received" doc:"The value sent, at most 60 characters of it; null when there was none, or when it is not repeated."`
	Accepted   string    `json:"accepted" doc:"Description of the accepted values."`
	Suggestion string    `json:"suggestion,omitempty" doc:"The value that was probably meant."`
	Row        int       `json:"row,omitempty" doc:"The row of an uploaded file, from 1, or the element of a JSON array; absent if the error is not in one row."`
	Column     string    `json:"column,omitempty" doc:"The column of an uploaded file: at most 60 characters of its name, or its number or letters; absent if the error is not in one column."`
	// Reason replaces the description of the accepted values in the detail if that description would not explain the
	// error.
	Reason string `json:"-"`
}

// InputCode classifies an input error. Programs rely on it: a code never changes its meaning.
type InputCode string

// The codes. Each has a row in InputCodes.
const (
	Required         InputCode = "required"
	UnknownParameter InputCode = "unknown_parameter"
	Repeated         InputCode = "repeated"
	Empty            InputCode = "empty"
	InvalidType      InputCode = "invalid_type"
	InvalidEncoding  InputCode = "invalid_encoding"
	InvalidFormat    InputCode = "invalid_format"
	CheckDigit       InputCode = "check_digit"
	TooShort         InputCode = "too_short"
	TooLong          InputCode = "too_long"
	TooMany          InputCode = "too_many"
	OutOfRange       InputCode = "out_of_range"
	NotOneOf         InputCode = "not_one_of"
	NoSuchValue      InputCode = "not_found"
	Conflict         InputCode = "conflict"
	Misplaced        InputCode = "misplaced"
	Malformed        InputCode = "malformed"
	UnknownPath      InputCode = "unknown_path"
)

// AboutValue reports whether a code means that the parameter needs another value, so that the accepted values explain
// the error.
func (c InputCode) AboutValue() bool {
	switch c {
	case Required, Empty, InvalidType, InvalidFormat, CheckDigit, TooShort, TooLong, OutOfRange, NotOneOf, NoSuchValue:
		return true
	}
	return false
}

// InputCodeMeaning is a code with its meaning.
type InputCodeMeaning struct {
	Code    InputCode `json:"code"`
	Meaning string    `json:"meaning"`
}

// InputCodes lists the codes with their meanings.
var InputCodes = []InputCodeMeaning{
	{Required, "It is required, but missing."},
	{UnknownParameter, "The operation has no parameter or field of this name; suggestion has the nearest name, if " +
		"there is one."},
	{Repeated, "It was sent more than once."},
	{Empty, "It was sent without a value, or a list has an empty item."},
	{InvalidType, "It has the wrong JSON type: not a string, or an array or object instead of a single value."},
	{InvalidEncoding, "It is not valid UTF-8, or contains control characters."},
	{InvalidFormat, "It is not in the accepted format."},
	{CheckDigit, "The format is right, but the control digit does not match: a digit is mistyped."},
	{TooShort, "It has too few characters."},
	{TooLong, "It has too many characters or bytes."},
	{TooMany, "There are too many values, parameters or items."},
	{OutOfRange, "It is outside the accepted range, or is a day that does not exist."},
	{NotOneOf, "It is not one of a fixed set of values, which accepted lists."},
	{NoSuchValue, "The format is right, but nothing of this name exists; suggestion has the nearest name, if there " +
		"is one."},
	{Conflict, "It conflicts with another parameter."},
	{Misplaced, "It was sent in the wrong place: in the URL instead of the body, or a key in the URL."},
	{Malformed, "The query, the body or the message cannot be parsed."},
	{UnknownPath, "There is nothing at this path; suggestion has the nearest path."},
}

// Schema lists the codes.
func (InputCode) Schema() jsonschema.Schema {
	s := jsonschema.Schema{Type: "string"}
	for _, c := range InputCodes {
		s.Enum = append(s.Enum, string(c.Code))
	}
	return s
}

// Error returns the sentence for the detail of a problem. It does not list the accepted parameter names for an unknown
// parameter; Invalid adds them once, after the last such error.
func (e *InputError) Error() string {
	var b strings.Builder
	switch {
	case e.Code == UnknownParameter:
		b.WriteString("unknown parameter " + Quoted(e.Parameter))
	case e.Code == Required:
		b.WriteString(e.Parameter + " is missing; " + e.Accepted)
	case e.Parameter != "" && strings.HasPrefix(e.Reason, "it "):
		b.WriteString(e.Parameter + e.Reason[len("it"):])
	case e.Reason != "" && e.Parameter != "":
		b.WriteString(e.Parameter + ": " + e.Reason)
	case e.Reason != "":
		b.WriteString(e.Reason)
	case e.Parameter == "": // a value without a parameter, which the caller names
		b.WriteString("must be " + e.Accepted)
	default:
		b.WriteString(e.Parameter + " must be " + e.Accepted)
	}

	if e.Received != nil && e.Parameter != "" && e.Code != UnknownParameter &&
		!strings.Contains(e.Reason, *e.Received) {
		b.WriteString("; received " + Quoted(*e.Received))
	}
	if e.Suggestion != "" {
		b.WriteString("; did you mean " + e.Suggestion + "?")
	}

	return b.String()
}

// Invalid is the problem of a call with one or more errors.
func Invalid(wrong ...*InputError) *Problem {
	sentences := make([]string, len(wrong))
	for i, e := range wrong {
		sentences[i] = e.Error()
	}

	if last := wrong[len(wrong)-1]; last.Code == UnknownParameter { // all of them have the same value
		sentences[len(wrong)-1] += "; accepted: " + last.Accepted
	}

	p := InvalidRequest.New("%s", strings.NewReplacer("?. ", "? ", "?; ", "? ").Replace(strings.Join(sentences, ". ")))
	p.Errors = wrong
	return p
}

// Excerpt returns a received text in the form in which an error repeats it.
func Excerpt(text string) *string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) > mostShown {
		text = string([]rune(text)[:mostShown]) + "…"
	}
	return &text
}

// mostShown is the maximum number of characters repeated.
const mostShown = 60

// Quoted returns a received text in quotes for an error: Shown, with control characters escaped.
func Quoted(text string) string { return strconv.Quote(*Excerpt(text)) }
