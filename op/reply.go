package op

import (
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

// Reply is the gateway's answer to a call in any channel: a document or a problem, with the metadata that REST sends
// as headers and MCP sends in _meta.
type Reply struct {
	// Status is the HTTP status; 304 if the caller already has the document.
	Status int
	// Document is the body. It is nil if there is a Problem or the status is 204.
	Document *Document
	// Value is the [Answer.Value] that the document encodes, for channels in the same process. Calls may share it, so
	// it must not be changed. It is nil for rows and files.
	Value   any
	Problem *problem.Problem // not nil if Status is 400 or more
	// Private means that shared caches must not store the answer, because it was charged or its headers describe the
	// caller's account.
	Private bool
	// Shared means that callers without a key get the same document in an answer that shared caches may store. Such
	// answers vary by key: a cache must not use them for a request with a key, since the key may be invalid or over
	// its limit, and must not update them from a 304 for such a request.
	Shared bool
	// Personal means that the answer is about the caller's account and must not be stored by any cache.
	Personal bool
	// Allowance is the state of the caller's token bucket. Its rate is zero if the call was not rate limited or failed
	// earlier.
	Allowance metering.Allowance
	// Policy describes the rate limit of Allowance in headers. It is nil if the limit has no name.
	Policy *Policy
	// Quota is the state of the daily allowance that the call counted against. Its Limit is 0 if there is no daily
	// allowance.
	Quota     metering.Quota
	quotaName string
	// Cost is the charge, in credits.
	Cost int
	// Credits is the number of credits left this month. It is negative for anonymous callers and for plans without a
	// limit.
	Credits int64
	// Duration is the time from the call's arrival to its answer.
	Duration time.Duration
	// Found is the number of rows found, for an answer given row by row, and Hits is how many of them came from the
	// cache.
	Hits, Found int
	// Next is the value of the parameter "after" for the next part of an export. It is empty at the end of the export.
	Next string
	// Location is the path of the resource that the call created; empty if it created none.
	Location string
	Freshness

	arrival        time.Time // of the call
	media, baseURL string    // of the call: see Renderer
	free           bool      // see Answer.Free
	status         int       // see Answer.Status
	provided       bool      // the document is Answer.Document, which calls share
	tag            []string  // the value of the ETag header; nil for none
}

// IsPublic reports whether shared caches, such as a CDN, may store the answer. Problems, empty answers, charged answers
// and answers about an account are not public.
func (r *Reply) IsPublic() bool {
	return r.Problem == nil && r.Document != nil && !r.Personal && !r.Private
}

// RetrySeconds returns the value of the Retry-After header in seconds, or 0 if the reply has no such header.
func (r *Reply) RetrySeconds() int {
	if r.Problem == nil {
		return 0
	}
	return r.Problem.RetrySeconds()
}

// Age returns the age of the answer's oldest fact, in seconds.
func (r *Reply) Age(now time.Time) int {
	return int(max(0, now.Sub(r.RetrievedAt)) / time.Second)
}

// staleBy returns how long ago the answer became stale, or 0 if it is fresh.
func (r *Reply) staleBy(at time.Time) time.Duration {
	if r.FreshUntil.IsZero() || at.Before(r.FreshUntil) {
		return 0
	}
	return at.Sub(r.FreshUntil)
}
