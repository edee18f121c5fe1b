package auth

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
)

const (
	maxBody    = 64 << 10 // bytes
	maxMembers = 32
)

// read reads the body, a flat JSON object or a form. Unknown and repeated members are errors.
func (x *exchange) read(m members) error {
	values, err := x.body()
	if err != nil {
		return err
	}

	for _, name := range sortedKeys(values) {
		value := values[name]
		field, known := m[name]
		if !known {
			return invalid(problem.InputError{Parameter: printable(name), Code: problem.UnknownParameter,
				Accepted: m.names()},
				"[body.%s] Unrecognized key", printable(name))
		}

		if expected := field.set(value); expected != "" {
			return invalid(problem.InputError{Parameter: name, Code: problem.InvalidType, Accepted: "a " + expected},
				"[body.%s] Invalid input: expected %s, received %s", name, expected, kindOf(value))
		}
	}

	for _, name := range sortedKeys(m) {
		if _, given := values[name]; m[name].required && !given {
			return invalid(problem.InputError{Parameter: name, Code: problem.Required, Accepted: "a string"},
				"[body.%s] Invalid input: expected string, received undefined", name)
		}
	}

	return x.checkTargets(values)
}

func (x *exchange) body() (map[string]any, error) {
	data, err := web.ReadBody(x.w, x.r, maxBody)
	if err != nil {
		return nil, err
	}

	media, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	switch {
	case len(data) == 0 && x.r.Header.Get("Content-Type") == "":
		return nil, nil
	case err != nil:
	case media == "application/json":
		return readJSON(data)
	case media == "application/x-www-form-urlencoded":
		return readForm(data)
	}

	return nil, problem.UnsupportedMediaType.New("the body must be JSON; send it with Content-Type: application/json")
}

var errBrokenJSON = wrong("BAD_REQUEST", "Invalid JSON in request body", "",
	problem.InputError{Code: problem.Malformed, Accepted: "a JSON object"})

// malformedBody returns the failure of a body that cannot be read as a whole.
func malformedBody(accepted, format string, args ...any) *problem.Problem {
	return invalid(problem.InputError{Code: problem.Malformed, Accepted: accepted}, format, args...)
}

func readJSON(data []byte) (map[string]any, error) {
	var body any
	if err := json.Unmarshal(data, &body); err != nil || !utf8.Valid(data) {
		return nil, errBrokenJSON
	}

	object, ok := body.(map[string]any)
	if !ok {
		return nil, malformedBody("a JSON object", "[body] Invalid input: expected object, received %s", kindOf(body))
	}

	values := make(map[string]any)
	for quoted := range jsontext.Members(data) {
		name := jsontext.Unescape(quoted)
		if err := addMember(values, name, object[name]); err != nil {
			return nil, err
		}
	}

	return values, nil
}

func readForm(data []byte) (map[string]any, error) {
	form, err := url.ParseQuery(string(data))
	if err != nil || !utf8.Valid(data) {
		return nil, malformedBody("a form in UTF-8", "[body] Invalid form")
	}

	values := make(map[string]any)
	for _, name := range sortedKeys(form) {
		for _, value := range form[name] {
			if !utf8.ValidString(value) {
				return nil, malformedBody("a form in UTF-8", "[body] Invalid form")
			}
			if err := addMember(values, name, value); err != nil {
				return nil, err
			}
		}
	}

	return values, nil
}

func addMember(values map[string]any, name string, value any) error {
	if _, twice := values[name]; twice {
		return invalid(problem.InputError{Parameter: printable(name), Code: problem.Repeated, Accepted: "one value"},
			"[body.%s] Duplicate key", printable(name))
	}

	if len(values) == maxMembers {
		return invalid(problem.InputError{Code: problem.TooMany,
			Accepted: fmt.Sprintf("at most %d members", maxMembers)},
			"[body] Too many keys")
	}

	values[name] = value
	return nil
}

// kindOf returns JavaScript's name for the type of a value.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}

	return "number"
}

// printable shortens and cleans a client's member name for an error message.
func printable(name string) string {
	const longest = 40
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)

	return name[:min(len(name), longest)]
}
