package main

import (
	"slices"
	"strings"
)

// method is an operation in a client.
type method struct {
	name, verb, path, summary string
	inPath, query             []parameter
	body                      *schema // nil for none
	file                      bool    // the body is a file, with a media type given by the caller
	answer                    *schema // nil for none
	form                      form
	// repeatable is set if a call has an Idempotency-Key, so that a repetition is not charged.
	repeatable bool
}

// form is the format of an answer's body.
type form int

const (
	none form = iota
	jsonForm
	textForm
	bytesForm
)

// methods returns the operations for callers, in the order of the description.
func (d *description) methods() (all []method) {
	for _, path := range d.Paths {
		for _, op := range path.value {
			if m, ok := newMethod(op.name, path.name, op.value); ok {
				all = append(all, m)
			}
		}
	}

	return all
}

// newMethod returns the method for an operation. It returns false for operations with an unnamed JSON body, because
// these are called by other services.
func newMethod(verb, path string, op operation) (_ method, ok bool) {
	m := method{name: op.ID, verb: strings.ToUpper(verb), path: path, summary: op.Summary}
	if op.RequestBody != nil {
		body := op.RequestBody.Content["application/json"].Schema
		switch {
		case body.refersTo() != "":
			m.body = &body
		case op.RequestBody.Content["text/csv"].Schema.Type != nil:
			m.file = true
		default:
			return m, false
		}
	}

	for _, p := range op.Parameters {
		switch {
		case p.In == "path":
			m.inPath = append(m.inPath, p)
		case p.In == "query":
			m.query = append(m.query, p)
		case p.Name == "Idempotency-Key":
			m.repeatable = true
		}
	}

	content := op.Responses[0].value.Content // the success comes first
	if len(content) > 0 {
		m.answer, m.form = &content[0].value.Schema, formOf(content[0])
	}
	if m.form == jsonForm {
		m.query = slices.DeleteFunc(m.query, func(p parameter) bool { return m.omits(p) })
	}

	return m, true
}

// omits reports whether a method that sends and receives JSON does not need a parameter, because it is only for
// tables or streams or is also in the JSON body.
func (m *method) omits(p parameter) bool {
	tables := []string{"format", "order", "delimiter"}
	return slices.Contains(tables, p.Name) || m.body != nil && p.Name == "mode"
}

func formOf(answer member[media]) form {
	media := answer.name
	switch {
	case answer.value.Schema.Format == "binary":
		return bytesForm
	case strings.HasSuffix(media, "json"):
		return jsonForm
	case strings.HasSuffix(media, "xml"), strings.HasPrefix(media, "text/"):
		return textForm
	}

	return bytesForm
}

// camel turns get_company into getCompany.
func camel(snake string) string {
	words := strings.Split(snake, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// snake turns sortBy into sort_by.
func snake(camel string) string {
	var b strings.Builder
	for _, r := range camel {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}

		b.WriteRune(r)
	}

	return b.String()
}

// fillPath returns the path with its arguments replaced by a language's expressions.
func (m *method) fillPath(argument func(name string) string) string {
	path := m.path
	for _, p := range m.inPath {
		path = strings.ReplaceAll(path, "{"+p.Name+"}", argument(p.Name))
	}
	return path
}

// isYesOrNo reports whether the schema is a string that accepts only true and false.
func (s *schema) isYesOrNo() bool {
	return len(s.Enum) == 2 && s.Enum[0] != nil && *s.Enum[0] == "true"
}
