// Package problem defines the error answers of all channels, in the format of RFC 9457: the table of kinds, the values,
// and the errors of each input. It imports no package that answers requests, so that any package can answer with a
// problem.
package problem

import (
	"cmp"
	"time"

	"github.com/rodata/rodata/internal/jsontext"
)

// ContentType is the media type of a problem.
const ContentType = "application/problem+json"

// Problem is an error answer. It implements error, so that any layer can return it.
type Problem struct {
	// Kind gives the type, the title and the status.
	Kind *Kind
	// Code is the stable identifier for programs. Default: the kind's slug.
	Code string
	// Detail is one or two sentences for the caller: the error, the received value, the accepted values, and the next
	// step. It never exposes internals.
	Detail string
	// RetryAfter, if positive, is the time to wait before a retry. It is sent as the Retry-After header, in whole
	// seconds, rounded up.
	RetryAfter time.Duration
	// Errors lists the individual errors of the call; Detail describes them in prose.
	Errors []*InputError
	// ID identifies the log entry of an internal error.
	ID string
	// Extensions marshals to a JSON object whose members follow the standard ones; nil for none.
	Extensions any
	// RefusesKey reports that the call had an invalid key, as opposed to no key.
	RefusesKey bool
}

func (p *Problem) Error() string { return p.code() + ": " + p.Detail }

// Status returns the HTTP status of the problem.
func (p *Problem) Status() int { return p.Kind.Status }

// After sets RetryAfter, and returns the problem.
func (p *Problem) After(wait time.Duration) *Problem {
	p.RetryAfter = wait
	return p
}

// RetrySeconds returns RetryAfter in whole seconds, rounded up; 0 means no advice.
func (p *Problem) RetrySeconds() int { return Seconds(p.RetryAfter) }

// Seconds rounds a duration up to whole seconds; a negative one counts as 0.
func Seconds(d time.Duration) int { return int(max(0, d+time.Second-1) / time.Second) }

func (p *Problem) code() string { return cmp.Or(p.Code, p.Kind.Slug) }

// JSON encodes the problem; its type is a URL below baseURL.
func (p *Problem) JSON(baseURL string) []byte {
	detail := p.Detail
	if p.Kind == Unauthorized && p.Code == "" { // a key is missing; problems of sessions have codes of their own
		detail += "; keys are created at " + baseURL + "/dashboard/keys"
	}

	text := jsontext.MustEncode(struct {
		Type   string        `json:"type"`
		Title  string        `json:"title"`
		Status int           `json:"status"`
		Detail string        `json:"detail"`
		Code   string        `json:"code"`
		Errors []*InputError `json:"errors,omitempty"`
		ID     string        `json:"id,omitempty"`
	}{baseURL + "/problems/" + p.Kind.Slug, p.Kind.Title, p.Kind.Status, detail, p.code(), p.Errors, p.ID})
	if p.Extensions == nil {
		return text
	}

	text[len(text)-1] = ','
	return append(text, jsontext.MustEncode(p.Extensions)[1:]...)
}
