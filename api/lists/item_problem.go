package lists

import (
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// ProblemPart is a problem in an answer, with members that depend on the call. The definitions of tools describe it
// only briefly, to stay short.
type ProblemPart struct{}

// Schema describes a problem.
func (ProblemPart) Schema() jsonschema.Schema {
	whole := ProblemSchema()
	return jsonschema.Schema{Type: "object", Precise: &whole}
}

// Retryable adds the seconds to wait before a retry to the problem of an item, because an item has no Retry-After
// header.
func Retryable(p *problem.Problem) *problem.Problem {
	seconds := p.RetrySeconds()
	if seconds == 0 || p.Extensions != nil {
		return p
	}

	withRetry := *p
	withRetry.Extensions = struct {
		RetryAfterSeconds int `json:"retryAfterSeconds"`
	}{seconds}
	return &withRetry
}

// AppendQuoted appends a text as a JSON string.
func AppendQuoted(b []byte, text string) []byte { return append(b, jsontext.MustEncode(text)...) }

// OrEmpty returns the text, or an empty one for null.
func OrEmpty[T ~string](text *T) T {
	if text == nil {
		return ""
	}
	return *text
}

// EmbeddedProblem is a problem that is a part of an answer.
type EmbeddedProblem struct {
	*problem.Problem
	// BaseURL is the base of the problem type's URL.
	BaseURL string
}

// MarshalJSON encodes the problem.
func (p *EmbeddedProblem) MarshalJSON() ([]byte, error) { return p.JSON(p.BaseURL), nil }

// Schema describes the problem.
func (EmbeddedProblem) Schema() jsonschema.Schema { return ProblemPart{}.Schema() }
