package op

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op/problem"
)

// Args are the unparsed arguments of a call as channels pass them on: names and texts, in their original order.
type Args []Arg

// Arg is one argument.
type Arg struct {
	Name string
	Text string
	// Literal is true for a JSON number or boolean, which the request contains without quotes.
	Literal bool
	// JSON is an array or object as sent, for parameters that accept one; Text is only its short form.
	JSON string
	// File is the content of an argument that is a whole body, and Text the name of its file; nil for others.
	File *io.SectionReader
}

// value returns the argument as sent: its JSON if it is an array or object, otherwise its text.
func (a *Arg) value() string { return cmp.Or(a.JSON, a.Text) }

// maxInPath is the maximum number of arguments in a path.
const maxInPath = 2

// PathArgs are the arguments in a path, in the order of the path. Unused elements have no name.
type PathArgs [maxInPath]Arg

// followedBy returns the arguments in the path followed by the others, using the buffer if the path has any.
func (p *PathArgs) followedBy(buffer []Arg, others Args) Args {
	if p[0].Name == "" {
		return others
	}

	for _, arg := range p {
		if arg.Name != "" {
			buffer = append(buffer, arg)
		}
	}

	return append(buffer, others...)
}

const (
	maxArgs = 32
	// MaxArgBytes is the maximum length of an argument in bytes, unless its parameter has another one.
	MaxArgBytes = 500

	queryForm = "a query such as name=value&name=value, percent-encoded"
	jsonForm  = "a JSON object, such as {\"name\": \"value\"}"
)

// ArgsFromQuery parses a query string.
func ArgsFromQuery(rawQuery string) (args Args, err error) {
	for rawQuery != "" {
		var pair string
		pair, rawQuery, _ = strings.Cut(rawQuery, "&")
		if pair == "" {
			continue
		}
		if strings.Contains(pair, ";") {
			return nil, Malformed(problem.Malformed,
				"the query contains a semicolon; separate parameters with & and write a semicolon as %%3B", queryForm)
		}

		name, text, _ := strings.Cut(pair, "=")
		name, err = url.QueryUnescape(name)
		if err == nil {
			text, err = url.QueryUnescape(text)
		}
		if err != nil {
			return nil, Malformed(problem.Malformed,
				"the query is not percent-encoded correctly at %s; write a percent sign as "+
					"%%25", queryForm, problem.Quoted(pair))
		}
		if len(args) == maxArgs {
			return nil, Malformed(problem.TooMany, "more than %[1]d parameters were sent",
				fmt.Sprintf("at most %d parameters", maxArgs), maxArgs)
		}

		args = append(args, Arg{Name: name, Text: text})
	}

	return args, nil
}

// ArgsFromJSON parses a JSON object of scalars. A null member counts as absent. Numbers keep their digits, except whole
// ones with a fraction.
func ArgsFromJSON(data []byte) (args Args, err error) {
	if !utf8.Valid(data) {
		return nil, Malformed(problem.Malformed, "the JSON is not valid UTF-8", jsonForm)
	}
	if err := checkObject(data); err != nil {
		return nil, err
	}

	for name, value := range jsontext.Members(data) {
		if len(args) == maxArgs {
			return nil, Malformed(problem.TooMany, "more than %[1]d parameters were sent",
				fmt.Sprintf("at most %d parameters", maxArgs), maxArgs)
		}

		arg := Arg{Name: jsontext.Unescape(name)}
		switch value[0] {
		case '"':
			arg.Text = jsontext.Unescape(value[1 : len(value)-1])
		case '[', '{': // reported together with unknown names
			arg.Text, arg.Literal, arg.JSON = nested[value[0]], true, string(value)
		case 'n': // null
			continue
		default:
			arg.Text, arg.Literal = wholeText(value), true
		}

		args = append(args, arg)
	}

	return args, nil
}

var errScalar = errors.New("neither a string nor a number")

// ScalarText returns the text of a JSON string or number, which must be valid JSON.
func ScalarText(value json.RawMessage) (string, error) {
	switch first := value[0]; {
	case first == '"':
		return jsontext.Unescape(value[1 : len(value)-1]), nil
	case first == '-', first >= '0' && first <= '9':
		return wholeText(value), nil
	}
	return "", errScalar
}

// wholeText returns the text of a JSON number, boolean or null. A whole number with a fraction or an exponent, such as
// 96712305.0, is written with its digits alone, because JSON Schema counts it as an integer.
func wholeText(value []byte) string {
	text := string(value)
	if strings.ContainsAny(text, ".E") || text[0] != 'f' && text[0] != 't' && strings.Contains(text, "e") {
		if n, err := strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return strconv.FormatFloat(n, 'f', 0, 64)
		}
	}

	return text
}

// checkObject returns a problem unless the data is one JSON object.
func checkObject(data []byte) error {
	isObject := bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
	if isObject && json.Valid(data) {
		return nil
	}

	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return brokenJSON(err)
	}
	if !isObject {
		return Malformed(problem.Malformed, "a JSON object is needed, such as {\"name\": \"value\"}", jsonForm)
	}

	var object json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&object); err != nil {
		return brokenJSON(err)
	}

	return Malformed(problem.Malformed, "there is data after the JSON object", jsonForm)
}

// nested holds the short forms of an array and an object, for errors about one that was sent instead of a scalar.
var nested = map[byte]string{'[': "[…]", '{': "{…}"}

func brokenJSON(err error) *problem.Problem {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	switch {
	case !ok:
		return Malformed(problem.Malformed, "the JSON ends too early", jsonForm)
	case strings.Contains(syntax.Error(), "max depth"):
		return Malformed(problem.Malformed, "the JSON is nested too deeply", jsonForm)
	}

	return Malformed(problem.Malformed, "the JSON is broken at byte %d", jsonForm, syntax.Offset)
}

// get returns an argument, and the number of times its name occurs.
func (a Args) get(name string) (arg *Arg, times int) {
	for i := range a {
		if a[i].Name == name {
			arg = &a[i]
			times++
		}
	}

	return arg, times
}

// form checks an argument's text independently of its type.
type form struct {
	maxBytes     int
	lines, empty bool
	quoted       bool // JSON numbers and booleans are rejected
	list         bool // an array is needed
	example      string
}

func (f form) check(a *Arg) error {
	if f.list && a.JSON != "" {
		return nil // its length is limited by the maximum size of the body
	}
	if err := f.checkText(a); err != nil || !f.list {
		return err
	}

	accepted := "a list, such as " + f.example
	return &problem.InputError{Code: problem.InvalidType, Accepted: accepted,
		Reason: "it is not a list; send " + accepted}
}

func (f form) checkText(a *Arg) error {
	switch {
	case a.File != nil:
		return nil
	case a.Literal && (a.Text == nested['['] || a.Text == nested['{']):
		return &problem.InputError{Code: problem.InvalidType,
			Accepted: "a string or a number; a list as one string separated by commas",
			Reason: "an object or array was sent; send a string or a number, or a list as one string separated by " +
				"commas"}
	case f.quoted && a.Literal:
		return &problem.InputError{Code: problem.InvalidType, Accepted: "a string, in quotes",
			Reason: "a string is needed, in quotes"}
	case a.Text == "":
		return &problem.InputError{Code: problem.Empty, Accepted: "a value, or leave it out",
			Reason: "it is empty; send a value, or leave it out"}
	case len(a.Text) > f.maxBytes:
		return &problem.InputError{Code: problem.TooLong, Accepted: fmt.Sprintf("at most %d bytes", f.maxBytes),
			Reason: fmt.Sprintf("it is too long: %d bytes were sent, at most %d are accepted", len(a.Text), f.maxBytes)}
	case isPlain(a.Text):
		return nil
	case !utf8.ValidString(a.Text):
		return &problem.InputError{Code: problem.InvalidEncoding, Accepted: "valid UTF-8",
			Reason: "it is not valid UTF-8"}
	}

	for _, r := range a.Text {
		if unicode.IsControl(r) && !(f.lines && (r == '\n' || r == '\r' || r == '\t')) {
			return &problem.InputError{Code: problem.InvalidEncoding, Accepted: "text without control characters",
				Reason: fmt.Sprintf("it contains a control character (U+%04X)", r)}
		}
	}

	return nil
}

// isPlain reports whether a text is printable ASCII, the common case.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}

	return true
}
