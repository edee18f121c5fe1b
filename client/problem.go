package client

import "time"

const problemType = "application/problem+json"

// Problem is an error answer of the gateway (RFC 9457). Programs rely on Code, which never changes its meaning; Detail
// is a sentence for people: the cause, and the remedy.
type Problem struct {
	// Type is the address of a page that explains the problem.
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`
	// Errors has one item for each error in the call.
	Errors []InputError `json:"errors,omitempty"`
	// ID identifies an internal error in the gateway's log.
	ID string `json:"id,omitempty"`
	// Needed and Remaining are credits; they are set for quota-exhausted.
	Needed    *int64 `json:"needed,omitempty"`
	Remaining *int64 `json:"remaining,omitempty"`
	// Sheets and Columns are what a caller may choose from if the table in a file was not recognised.
	Sheets  []string `json:"sheets,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// OldestCursor is the oldest valid position in a feed; it is set for cursor-expired.
	OldestCursor string `json:"oldestCursor,omitempty"`
	// Successors are the codes that replace a CAEN code; they are set for caen-code-replaced.
	Successors []SuccessorCode `json:"successors,omitempty"`
	// LastQuoted lists the last day on which each currency without a rate was published.
	LastQuoted []LastQuotation `json:"lastQuoted,omitempty"`
	// RetryAfterSeconds is the pause before an item of a list should be retried; nil if a retry does not help.
	RetryAfterSeconds *int `json:"retryAfterSeconds,omitempty"`
	// RetryAfter is the pause before a retry, from the header Retry-After; 0 without one.
	RetryAfter time.Duration `json:"-"`

	retryAfter retryHint // unlike RetryAfter, it distinguishes 0 from none
}

// The codes of problems; docs/errors.md explains them. New ones may be added.
const (
	CodeInvalidRequest       = "invalid-request"
	CodeUnauthorized         = "unauthorized"
	CodeQuotaExhausted       = "quota-exhausted"
	CodeEntitlementMissing   = "entitlement-missing"
	CodeForbidden            = "forbidden"
	CodeNotFound             = "not-found"
	CodeCAENCodeReplaced     = "caen-code-replaced"
	CodeMethodNotAllowed     = "method-not-allowed"
	CodeIdempotencyKeyInUse  = "idempotency-key-in-use"
	CodeCursorExpired        = "cursor-expired"
	CodePayloadTooLarge      = "payload-too-large"
	CodeUnsupportedMediaType = "unsupported-media-type"
	CodeMisdirectedRequest   = "misdirected-request"
	CodeIdempotencyKeyReused = "idempotency-key-reused"
	CodeRateLimited          = "rate-limited"
	CodeInternal             = "internal"
	CodeUpstreamError        = "upstream-error"
	CodeUnavailable          = "unavailable"
	CodeUpstreamTimeout      = "upstream-timeout"
)

// InputError is one error in a call.
type InputError struct {
	// Parameter is empty for the call as a whole.
	Parameter string `json:"parameter"`
	Code      string `json:"code"`
	// Received is the first 60 characters of the value sent; nil if there was none, or if it must not be repeated.
	Received *string `json:"received"`
	Accepted string  `json:"accepted"`
	// Suggestion is the value that was probably meant; empty for none.
	Suggestion string `json:"suggestion,omitempty"`
	// Row is the row of an uploaded file, from 1, or the element of a JSON array; 0 if the error is not in one row.
	// Column is the name of a column of the file, or its number or letters; empty if the error is not in one column.
	Row    int    `json:"row,omitempty"`
	Column string `json:"column,omitempty"`
}

// SuccessorCode is a CAEN Rev.3 code that replaces one of Rev.2.
type SuccessorCode struct {
	Code   string `json:"code"`
	Name   string `json:"name"`
	NameEn string `json:"nameEn"`
	Type   string `json:"type"`
}

func (p *Problem) Error() string { return p.Code + ": " + p.Detail }
