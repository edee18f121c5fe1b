package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Args are the arguments of a call as every channel hands them over: names and
// texts, in the order in which they came, none yet understood.
type Args []Arg

// Arg is one argument.
type Arg struct {
	Name string
	Text string
	// Literal is true for a JSON number or boolean: its text stands without
	// quotes in the request.
	Literal bool
}

const (
	maxArgs     = 32
	maxArgBytes = 500
)

// ArgsFromQuery reads the query of an address.
func ArgsFromQuery(rawQuery string) (args Args, err error) {
	for rawQuery != "" {
		var pair string
		pair, rawQuery, _ = strings.Cut(rawQuery, "&")
		if pair == "" {
			continue
		}
		if strings.Contains(pair, ";") {
			return nil, InvalidRequest.New("the query holds a semicolon; separate parameters with & and write a semicolon as %%3B")
		}
		name, text, _ := strings.Cut(pair, "=")
		name, err = url.QueryUnescape(name)
		if err == nil {
			text, err = url.QueryUnescape(text)
		}
		if err != nil {
			return nil, InvalidRequest.New("the query is not well encoded at %s; write a percent sign as %%25", quoted(pair))
		}
		if len(args) == maxArgs {
			return nil, InvalidRequest.New("more than %d parameters were sent", maxArgs)
		}
		args = append(args, Arg{Name: name, Text: text})
	}
	return args, nil
}

// ArgsFromJSON reads a JSON object of plain values. A member that is null counts
// as absent. Numbers keep the digits that were sent.
func ArgsFromJSON(data []byte) (Args, error) {
	if !utf8.Valid(data) {
		return nil, InvalidRequest.New("the JSON is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	args, err := readObject(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, InvalidRequest.New("something follows the JSON object")
	}
	return args, nil
}

func readObject(dec *json.Decoder) (Args, error) {
	if t, err := dec.Token(); err != nil {
		return nil, brokenJSON(err)
	} else if t != json.Delim('{') {
		return nil, InvalidRequest.New("a JSON object is needed, as {\"name\": \"value\"}")
	}
	var args Args
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, brokenJSON(err)
		}
		name, _ := t.(string)
		if len(args) == maxArgs {
			return nil, InvalidRequest.New("more than %d parameters were sent", maxArgs)
		}
		if t, err = dec.Token(); err != nil {
			return nil, brokenJSON(err)
		}
		switch v := t.(type) {
		case string:
			args = append(args, Arg{Name: name, Text: v})
		case json.Number:
			args = append(args, Arg{Name: name, Text: v.String(), Literal: true})
		case bool:
			args = append(args, Arg{Name: name, Text: strconv.FormatBool(v), Literal: true})
		case nil:
		default:
			return nil, InvalidRequest.New("%s: an object or array was sent; a text or a number is accepted, a list as one text separated by commas", quoted(name))
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, brokenJSON(err)
	}
	return args, nil
}

func brokenJSON(err error) *Problem {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return InvalidRequest.New("the JSON is broken at byte %d", syntax.Offset)
	}
	return InvalidRequest.New("the JSON ends too early")
}

// get finds an argument, and whether the name was given more than once.
func (a Args) get(name string) (arg *Arg, repeated bool) {
	for i := range a {
		if a[i].Name != name {
			continue
		}
		if arg != nil {
			return arg, true
		}
		arg = &a[i]
	}
	return arg, false
}

// form is what is asked of an argument's text, whatever its type.
type form struct {
	maxBytes     int
	lines, empty bool
	quoted       bool // a JSON number or boolean is no text
}

func (f form) check(a *Arg) error {
	switch {
	case f.quoted && a.Literal:
		return fmt.Errorf("%s is %s; a text is needed, in quotes", a.Name, a.Text)
	case a.Text == "":
		return fmt.Errorf("%s is empty; give a value or leave it out", a.Name)
	case len(a.Text) > f.maxBytes:
		return fmt.Errorf("%s is too long: %d bytes were sent, at most %d are accepted", a.Name, len(a.Text), f.maxBytes)
	case plain(a.Text):
		return nil
	case !utf8.ValidString(a.Text):
		return fmt.Errorf("%s is not valid UTF-8", a.Name)
	}
	for _, r := range a.Text {
		if unicode.IsControl(r) && !(f.lines && (r == '\n' || r == '\r' || r == '\t')) {
			return fmt.Errorf("%s holds a control character (U+%04X)", a.Name, r)
		}
	}
	return nil
}

// plain reports whether a text is of printable ASCII only, as nearly all are.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// quoted shows what was received: in quotes, control characters escaped, and no
// longer than a line.
func quoted(text string) string {
	const most = 60
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return strconv.Quote(text)
}
