package main

import (
	"slices"
	"strings"
)

// method is an operation in a client.
type method struct {
	Name, Verb, Path, Summary string
	InPath, Query             []parameter
	Body                      *schema // nil for none
	File                      bool    // the body is a file, with a media type given by the caller
	Answer                    *schema // nil for none
	Form                      form
	// Repeatable is set if a call has an Idempotency-Key, so that a repetition is not charged.
	Repeatable bool
}

// form is the format of an answer's body.
type form string

const (
	none      form = ""
	jsonForm  form = "json"
	textForm  form = "text"
	bytesForm form = "bytes"
)

// Methods returns the operations for callers, in the order of the description.
func (d *description) Methods() (all []method) {
	for _, path := range d.Paths {
		for _, op := range path.Value {
			if m, ok := newMethod(op.Name, path.Name, op.Value); ok {
				all = append(all, m)
			}
		}
	}

	return all
}

// newMethod returns the method for an operation. It returns false for operations with an unnamed JSON body, because
// these are called by other services.
func newMethod(verb, path string, op operation) (_ method, ok bool) {
	m := method{Name: op.ID, Verb: strings.ToUpper(verb), Path: path, Summary: op.Summary}
	if op.RequestBody != nil {
		body := op.RequestBody.Content["application/json"].Schema
		switch {
		case body.refersTo() != "":
			m.Body = &body
		case op.RequestBody.Content["text/csv"].Schema.Type != nil:
			m.File = true
		default:
			return m, false
		}
	}

	for _, p := range op.Parameters {
		switch {
		case p.In == "path":
			m.InPath = append(m.InPath, p)
		case p.In == "query":
			m.Query = append(m.Query, p)
		case p.Name == "Idempotency-Key":
			m.Repeatable = true
		}
	}

	content := op.Responses[0].Value.Content // the success comes first
	if len(content) > 0 {
		m.Answer, m.Form = &content[0].Value.Schema, formOf(content[0])
	}
	if m.Form == jsonForm {
		m.Query = slices.DeleteFunc(m.Query, func(p parameter) bool { return m.omits(p) })
	}

	return m, true
}

// omits reports whether a method that sends and receives JSON does not need a parameter, because it is only for
// tables or streams or is also in the JSON body.
func (m *method) omits(p parameter) bool {
	tables := []string{"format", "order", "delimiter"}
	return slices.Contains(tables, p.Name) || m.Body != nil && p.Name == "mode"
}

func formOf(answer member[media]) form {
	media := answer.Name
	switch {
	case answer.Value.Schema.Format == "binary":
		return bytesForm
	case strings.HasSuffix(media, "json"):
		return jsonForm
	case strings.HasSuffix(media, "xml"), strings.HasPrefix(media, "text/"):
		return textForm
	}

	return bytesForm
}

// NeedsQuery reports whether an argument of the query is required.
func (m method) NeedsQuery() bool {
	return slices.ContainsFunc(m.Query, func(p parameter) bool { return p.Required })
}
