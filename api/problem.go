package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/rodata/rodata/account"
)

// Problem is an answer that is not a success, in the form of RFC 9457 (the
// successor of RFC 7807). It is an error, so that any layer can return one.
type Problem struct {
	// Kind gives the type, the title and the status.
	Kind *ProblemKind
	// Detail is one or two sentences for the caller: what was wrong, what was
	// received, what is accepted, what to do next. Never internals.
	Detail string
	// RetryAfter, when positive, is how long to wait before trying again. It is
	// sent as the Retry-After header, in whole seconds, rounded up.
	RetryAfter time.Duration
	// Errors are what is wrong with the call, one by one; the detail has them as prose.
	Errors []*InputError
	// Successors are the CAEN Rev.3 codes that replace a dropped Rev.2 code.
	Successors []Successor
	// ID names the log entry of an internal error.
	ID string

	refusesKey bool // a key was sent that is not valid
}

// Successor is a CAEN Rev.3 code that replaces a dropped Rev.2 code.
type Successor struct {
	Code string `json:"code" doc:"Rev.3 code."`
	Name string `json:"name" doc:"Official Romanian name."`
	// NameEn is the name of NACE Rev.2.1.
	NameEn string    `json:"nameEn" doc:"English name, that of NACE Rev.2.1."`
	Type   CAENLevel `json:"type" doc:"Level in the hierarchy."`
}

func (p *Problem) Error() string { return p.Kind.Slug + ": " + p.Detail }

// Status is the HTTP status of the problem.
func (p *Problem) Status() int { return p.Kind.Status }

// RetrySeconds is RetryAfter in whole seconds, rounded up; 0 means no advice.
func (p *Problem) RetrySeconds() int {
	if p.RetryAfter <= 0 {
		return 0
	}
	return int((p.RetryAfter + time.Second - 1) / time.Second)
}

// Document is the problem as it is sent, its type an address below baseURL.
func (p *Problem) Document(baseURL string) *Document {
	detail := p.Detail
	if p.Kind == Unauthorized {
		detail += "; keys are made at " + baseURL + "/dashboard/keys"
	}
	doc, err := EncodeDocument(struct {
		Type       string        `json:"type"`
		Title      string        `json:"title"`
		Status     int           `json:"status"`
		Detail     string        `json:"detail"`
		Code       string        `json:"code"`
		Errors     []*InputError `json:"errors,omitempty"`
		ID         string        `json:"id,omitempty"`
		Successors []Successor   `json:"successors,omitempty"`
	}{baseURL + "/problems/" + p.Kind.Slug, p.Kind.Title, p.Kind.Status, detail, p.Kind.Slug, p.Errors, p.ID, p.Successors})
	if err != nil { // strings and integers always encode
		panic(err)
	}
	return doc
}

// ProblemKind is one row of the table of problems: what its type address says.
type ProblemKind struct {
	// Slug is the end of the type's address, and the code, by which programs decide.
	Slug   string
	Status int
	Title  string
	// Meaning and Remedy are what the page at /problems/{slug} tells a person.
	Meaning string
	Remedy  string
}

// InputCodes are the codes that the errors of such a problem have, and their meaning.
func (k *ProblemKind) InputCodes() []InputCodeMeaning {
	if k == InvalidRequest {
		return InputCodes
	}
	return nil
}

// The problems that the service answers with.
var (
	InvalidRequest = &ProblemKind{"invalid-request", http.StatusBadRequest, "Invalid request",
		"A parameter is missing, unknown, repeated or not of the accepted form.",
		"The detail names the parameter, what was received and what is accepted; errors has the same one by one, for programs. Correct the call; trying again unchanged gives the same answer."}
	Unauthorized = &ProblemKind{"unauthorized", http.StatusUnauthorized, "Unauthorized",
		"A key or session was sent that is not valid, or one is needed and missing.",
		"Send a valid key as \"Authorization: Bearer <key>\" or \"x-api-key: <key>\". Company, CAEN, county, city and exchange-rate calls also work without any key: leave the headers out. Keys are made at /dashboard/keys."}
	QuotaExhausted = &ProblemKind{"quota-exhausted", http.StatusPaymentRequired, "Monthly credits exhausted",
		"The plan's credits for this calendar month (UTC) are used up.",
		"Upgrade the plan, or wait for the first day of the next month. Free operations go on working."}
	EntitlementMissing = &ProblemKind{"entitlement-missing", http.StatusForbidden, "Not part of the plan",
		"The caller's plan does not include this operation.",
		"Choose a plan that includes the entitlement named in the detail."}
	Forbidden = &ProblemKind{"forbidden", http.StatusForbidden, "Forbidden",
		"The request is understood and refused for this caller.",
		"The detail says why; a key may be needed, or the page that sent the request is not one of ours."}
	NotFound = &ProblemKind{"not-found", http.StatusNotFound, "Not found",
		"There is no such resource.",
		"Check the identifier in the address. A company that neither registry knows is answered this way too."}
	CAENCodeReplaced = &ProblemKind{"caen-code-replaced", http.StatusNotFound, "CAEN code replaced in Rev.3",
		"The code belongs to CAEN Rev.2 and was dropped in Rev.3, in force since 2025-01-01.",
		"Use one of the Rev.3 codes listed in successors."}
	MethodNotAllowed = &ProblemKind{"method-not-allowed", http.StatusMethodNotAllowed, "Method not allowed",
		"The address exists, but not for this HTTP method.",
		"Use one of the methods in the Allow header."}
	PayloadTooLarge = &ProblemKind{"payload-too-large", http.StatusRequestEntityTooLarge, "Payload too large",
		"The body of the request is larger than the service reads.",
		"Send less; the detail gives the limit."}
	UnsupportedMediaType = &ProblemKind{"unsupported-media-type", http.StatusUnsupportedMediaType, "Unsupported media type",
		"The body of the request is not of a type that the service reads.",
		"Send JSON, with Content-Type: application/json."}
	MisdirectedRequest = &ProblemKind{"misdirected-request", http.StatusMisdirectedRequest, "Misdirected request",
		"The server has no site for the host that the request names.",
		"Send the request to the address under which the service is published. If that is this one, its operator has to name it in RODATA_ADDRESS."}
	RateLimited = &ProblemKind{"rate-limited", http.StatusTooManyRequests, "Rate limited",
		"More requests came from this caller than the plan allows a second, or as many company calls came from its address without a key as are answered in a day, or too many keys that are not valid, or more messages than are taken within an hour.",
		"Wait the seconds given in Retry-After. A key that is valid raises the limit."}
	Internal = &ProblemKind{"internal", http.StatusInternalServerError, "Internal error",
		"The service made a mistake.",
		"Try again; if it persists, report the id, which is also in the service's log."}
	UpstreamError = &ProblemKind{"upstream-error", http.StatusBadGateway, "Registry error",
		"The registry that holds the data could not be reached, or answered with an error or with something that is not an answer.",
		"Try again in a minute. Nothing was charged."}
	Unavailable = &ProblemKind{"unavailable", http.StatusServiceUnavailable, "Temporarily unavailable",
		"The service cannot answer this just now: a registry is down, a queue is full, or the data is still being loaded.",
		"Wait the seconds given in Retry-After and try again. Nothing was charged."}
	UpstreamTimeout = &ProblemKind{"upstream-timeout", http.StatusGatewayTimeout, "Registry timeout",
		"The registry that holds the data did not answer in time.",
		"Try again in a minute. Nothing was charged."}
)

// callerGone stands in logs and metrics for an answer that nobody waited for; no
// caller ever reads it. 499 is what web servers log in that case.
var callerGone = &ProblemKind{Slug: "unavailable", Status: 499, Title: "Caller gone"}

// ProblemKinds is the whole table, in the order of status.
var ProblemKinds = []*ProblemKind{
	InvalidRequest, Unauthorized, QuotaExhausted, EntitlementMissing, Forbidden, NotFound, CAENCodeReplaced,
	MethodNotAllowed, PayloadTooLarge, UnsupportedMediaType, MisdirectedRequest, RateLimited, Internal, UpstreamError,
	Unavailable, UpstreamTimeout,
}

// New makes a problem of the kind with a formatted detail.
func (k *ProblemKind) New(format string, args ...any) *Problem {
	return &Problem{Kind: k, Detail: fmt.Sprintf(format, args...)}
}

// KindOfStatus is the kind that stands for an HTTP status which the web server,
// and not an operation, answered with; statuses without a kind of their own
// fall back to the class's general one.
func KindOfStatus(status int) *ProblemKind {
	for _, k := range ProblemKinds {
		if k.Status == status {
			return k
		}
	}
	if status >= 500 {
		return Internal
	}
	return InvalidRequest
}

// Failure is a registry that did not do its part, as the contract sees it. The
// cause is for the log; the caller reads only the kind and the registry's name.
type Failure struct {
	// Registry is the short name of the registry: anaf, onrc, bnr.
	Registry string
	Kind     FailureKind
	// RetryAfter is when the registry may be asked again; 0 leaves it open.
	RetryAfter time.Duration
	// Err is the cause.
	Err error
}

// FailureKind says how a registry failed.
type FailureKind int

// The ways a registry fails.
const (
	// Broken: it refused, reset, or answered with something that is no answer.
	Broken FailureKind = iota
	// TimedOut: it did not answer within the deadline.
	TimedOut
	// Closed: it was not asked, because its breaker is open or its queue full.
	Closed
)

func (f *Failure) Error() string { return f.Registry + ": " + f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// how says what a caller may know of how a registry failed that is Broken.
func (f *Failure) how() string {
	var dial *net.OpError
	switch {
	case errors.Is(f.Err, syscall.ECONNREFUSED):
		return "could not be reached: it refused the connection"
	case errors.As(f.Err, &dial) && dial.Op == "dial":
		return "could not be reached: there was no connection"
	case errors.Is(f.Err, syscall.ECONNRESET), errors.Is(f.Err, io.EOF), errors.Is(f.Err, io.ErrUnexpectedEOF):
		return "broke the connection off before it had answered"
	}
	return "answered with an error"
}

// ErrUnknown is what a registry answers for a key that it verifiably does not
// know. It is an answer, not a failure.
var ErrUnknown = errors.New("not known to the registry")

// RegistryTitles are the registries' names as a caller knows them.
var RegistryTitles = map[string]string{
	"anaf": "the tax authority (ANAF)",
	"onrc": "the trade register (ONRC)",
	"bnr":  "the central bank (BNR)",
}

// problemOf is the one table from errors to problems. It reports false for an
// error that it does not know: an internal one.
func problemOf(err error) (*Problem, bool) {
	var p *Problem
	if errors.As(err, &p) {
		return p, true
	}
	var f *Failure
	if !errors.As(err, &f) {
		switch {
		case errors.Is(err, account.ErrStoreDown):
			return storeDown("the accounts cannot be read or changed just now; try again shortly"), true
		case errors.Is(err, account.ErrNoAccount), errors.Is(err, account.ErrUnknownKey):
			return Unauthorized.New("the account was closed, or the key revoked, while the call was answered"), true
		case errors.Is(err, context.DeadlineExceeded):
			return UpstreamTimeout.New("the answer was not ready in time; try again in a minute"), true
		case errors.Is(err, context.Canceled):
			return callerGone.New("the caller did not wait for the answer"), true
		}
		return nil, false
	}
	title := RegistryTitles[f.Registry]
	switch f.Kind {
	case TimedOut:
		p = UpstreamTimeout.New("%s did not answer in time; try again in a minute", title)
	case Closed:
		p = Unavailable.New("%s cannot be asked just now; try again later", title)
		p.RetryAfter = max(f.RetryAfter, time.Second)
	default:
		p = UpstreamError.New("%s %s; try again in a minute", title, f.how())
	}
	return p, true
}
