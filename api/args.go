package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/api/problem"
)

// Args are the arguments of a call as channels pass them on: names and texts, in their
// original order, not yet parsed.
type Args []Arg

// Arg is one argument.
type Arg struct {
	Name string
	Text string
	// Literal is true for a JSON number or boolean, whose text has no quotes in the
	// request.
	Literal bool
	// JSON is an array or object as it was sent, for parameters that take one; Text only
	// hints at it.
	JSON string
}

// value is the argument's text in whichever form it has one.
func (a *Arg) value() string { return cmp.Or(a.JSON, a.Text) }

const (
	maxArgs     = 32
	maxArgBytes = 500

	queryForm = "a query as name=value&name=value, percent-encoded"
	jsonForm  = "a JSON object, as {\"name\": \"value\"}"
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
			return nil, malformed(problem.Malformed, "the query holds a semicolon; separate parameters with & and write a semicolon as %%3B", queryForm)
		}

		name, text, _ := strings.Cut(pair, "=")
		name, err = url.QueryUnescape(name)
		if err == nil {
			text, err = url.QueryUnescape(text)
		}
		if err != nil {
			return nil, malformed(problem.Malformed, "the query is not well encoded at %s; write a percent sign as %%25", queryForm, quoted(pair))
		}
		if len(args) == maxArgs {
			return nil, malformed(problem.TooMany, "more than %[1]d parameters were sent", fmt.Sprintf("at most %d parameters", maxArgs), maxArgs)
		}

		args = append(args, Arg{Name: name, Text: text})
	}
	return args, nil
}

// ArgsFromJSON parses a JSON object of scalars. A null member counts as absent. Numbers
// keep their digits.
func ArgsFromJSON(data []byte) (Args, error) {
	if !utf8.Valid(data) {
		return nil, malformed(problem.Malformed, "the JSON is not valid UTF-8", jsonForm)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	args, err := readObject(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, malformed(problem.Malformed, "something follows the JSON object", jsonForm)
	}

	return args, nil
}

func readObject(dec *json.Decoder) (Args, error) {
	if t, err := dec.Token(); err != nil {
		return nil, brokenJSON(err)
	} else if t != json.Delim('{') {
		return nil, malformed(problem.Malformed, "a JSON object is needed, as {\"name\": \"value\"}", jsonForm)
	}

	var args Args
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, brokenJSON(err)
		}

		name, _ := t.(string)
		if len(args) == maxArgs {
			return nil, malformed(problem.TooMany, "more than %[1]d parameters were sent", fmt.Sprintf("at most %d parameters", maxArgs), maxArgs)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, brokenJSON(err)
		}

		switch value[0] {
		case '"':
			var text string
			if err := json.Unmarshal(value, &text); err != nil {
				return nil, brokenJSON(err)
			}
			args = append(args, Arg{Name: name, Text: text})
		case '[', '{': // who does not take one says so together with the names that are unknown
			args = append(args, Arg{Name: name, Text: nested[value[0]], Literal: true, JSON: string(value)})
		case 'n': // null
		default:
			args = append(args, Arg{Name: name, Text: string(value), Literal: true})
		}
	}

	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, brokenJSON(err)
	}
	return args, nil
}

// nested marks an array or object where a scalar is expected.
var nested = map[byte]string{'[': "[…]", '{': "{…}"}

func brokenJSON(err error) *problem.Problem {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return malformed(problem.Malformed, "the JSON is broken at byte %d", jsonForm, syntax.Offset)
	}
	return malformed(problem.Malformed, "the JSON ends too early", jsonForm)
}

// get returns an argument, and how often its name occurs.
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
	quoted       bool // a JSON number or boolean is no text
	nested       bool // an array or object is taken
	whole        bool // it is a body of its own media type, which its type checks
}

func (f form) check(a *Arg) error {
	switch {
	case f.nested && a.JSON != "":
		return nil // the body's bound holds for it
	case a.Literal && (a.Text == nested['['] || a.Text == nested['{']):
		return &problem.InputError{Code: problem.InvalidType, Accepted: "a text or a number, a list as one text separated by commas", Reason: "an object or array was sent; a text or a number is accepted, a list as one text separated by commas"}
	case f.quoted && a.Literal:
		return &problem.InputError{Code: problem.InvalidType, Accepted: "a text, in quotes", Reason: "a text is needed, in quotes"}
	case f.whole && len(a.Text) <= f.maxBytes:
		return nil
	case a.Text == "":
		return &problem.InputError{Code: problem.Empty, Accepted: "a value, or leave it out", Reason: "it is empty; give a value or leave it out"}
	case len(a.Text) > f.maxBytes:
		return &problem.InputError{Code: problem.TooLong, Accepted: fmt.Sprintf("at most %d bytes", f.maxBytes), Reason: fmt.Sprintf("it is too long: %d bytes were sent, at most %d are accepted", len(a.Text), f.maxBytes)}
	case plain(a.Text):
		return nil
	case !utf8.ValidString(a.Text):
		return &problem.InputError{Code: problem.InvalidEncoding, Accepted: "valid UTF-8", Reason: "it is not valid UTF-8"}
	}

	for _, r := range a.Text {
		if unicode.IsControl(r) && !(f.lines && (r == '\n' || r == '\r' || r == '\t')) {
			return &problem.InputError{Code: problem.InvalidEncoding, Accepted: "a text without control characters", Reason: fmt.Sprintf("it holds a control character (U+%04X)", r)}
		}
	}

	return nil
}

// plain reports whether a text is printable ASCII, as nearly all are.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// quoted quotes a received text for an error: control characters are escaped, and long
// texts are cut.
func quoted(text string) string { return strconv.Quote(*problem.Shown(text)) }
