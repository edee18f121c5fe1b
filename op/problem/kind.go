package problem

import (
	"fmt"
	"net/http"
)

// Kind is one row of the table of problems. Kinds are compared by identity.
type Kind struct {
	// Slug is the last segment of the problem's type URL, and its code.
	Slug   string
	Status int
	Title  string
	// Meaning and Remedy are what /problems/{slug} answers to programs; site/text.json has the words for people.
	Meaning string
	Remedy  string
}

// InputCodes lists the codes in the errors of such a problem, with their meanings.
func (k *Kind) InputCodes() []InputCodeMeaning {
	if k == InvalidRequest {
		return InputCodes
	}
	return nil
}

// The problems that the service answers with.
var (
	InvalidRequest = &Kind{"invalid-request", http.StatusBadRequest, "Invalid request",
		"A parameter is missing, unknown, repeated or malformed.",
		"The detail names the parameter, what was received and what is accepted; errors lists the same for " +
			"programs. Correct the call; repeating it unchanged gives the same answer."}
	Unauthorized = &Kind{"unauthorized", http.StatusUnauthorized, "Unauthorized",
		"The key or session is invalid, or one is needed and missing.",
		"Send a valid key as \"Authorization: Bearer <key>\" or \"x-api-key: <key>\". Company, CAEN, county, city " +
			"and exchange-rate calls also work without any key: leave the headers out. Keys are created at " +
			"/dashboard/keys."}
	QuotaExhausted = &Kind{"quota-exhausted", http.StatusPaymentRequired, "Monthly credits exhausted",
		"The plan's credits for this calendar month (UTC) are used up.",
		"Upgrade the plan, or wait for the first day of the next month. Free operations still work."}
	EntitlementMissing = &Kind{"entitlement-missing", http.StatusForbidden, "Not part of the plan",
		"The caller's plan does not include this operation.",
		"Choose a plan that includes the entitlement named in the detail."}
	Forbidden = &Kind{"forbidden", http.StatusForbidden, "Forbidden",
		"The caller may not make this request.",
		"The detail says why; a key may be needed, or the request came from a page that is not trusted."}
	InsufficientScope = &Kind{"insufficient-scope", http.StatusForbidden, "Insufficient scope",
		"The user has not granted the program this part of the account.",
		"Ask the user for the scopes in WWW-Authenticate, with a new authorization request; a key needs no scope."}
	NotFound = &Kind{"not-found", http.StatusNotFound, "Not found",
		"The resource does not exist.",
		"Check the identifier in the URL. A company unknown to every register is also a 404."}
	CAENCodeReplaced = &Kind{"caen-code-replaced", http.StatusNotFound, "CAEN code replaced in Rev.3",
		"The code belongs to CAEN Rev.2 and was dropped in Rev.3, in force since 2025-01-01.",
		"Use one of the Rev.3 codes listed in successors."}
	MethodNotAllowed = &Kind{"method-not-allowed", http.StatusMethodNotAllowed, "Method not allowed",
		"The path exists, but not for this HTTP method.",
		"Use one of the methods in the Allow header."}
	IdempotencyKeyInUse = &Kind{"idempotency-key-in-use", http.StatusConflict, "Idempotency-Key in use",
		"A call with the same Idempotency-Key is still being answered.",
		"Wait for its answer, or repeat the call later."}
	CursorExpired = &Kind{"cursor-expired", http.StatusGone, "Cursor expired",
		"Events after the cursor have been deleted, since events are kept for 90 days.",
		"Continue from oldestCursor, a member of the problem, and fetch the companies themselves for what was missed."}
	PayloadTooLarge = &Kind{"payload-too-large", http.StatusRequestEntityTooLarge, "Payload too large",
		"The body of the request is larger than the limit.",
		"Send less; the detail has the limit."}
	UnsupportedMediaType = &Kind{"unsupported-media-type", http.StatusUnsupportedMediaType, "Unsupported media type",
		"The body of the request has a media type that the service does not accept.",
		"Send JSON, with Content-Type: application/json."}
	MisdirectedRequest = &Kind{"misdirected-request", http.StatusMisdirectedRequest, "Misdirected request",
		"The server has no site for the requested host.",
		"Send the request to the published address of the service. If it is this one, the operator must add it to " +
			"RODATA_ADDRESS."}
	RangeNotSatisfiable = &Kind{"range-not-satisfiable", http.StatusRequestedRangeNotSatisfiable,
		"Range not satisfiable",
		"The Range header requests bytes that the file does not have.",
		"Content-Range has the size of the file; request bytes below it, or omit Range."}
	IdempotencyKeyReused = &Kind{"idempotency-key-reused", http.StatusUnprocessableEntity,
		"Idempotency-Key used for another call",
		"The Idempotency-Key was used within the last 24 hours for a different call.",
		"Use a new key for a new call, and the same key only to repeat a call."}
	EmailTaken = &Kind{"email-taken", http.StatusUnprocessableEntity, "E-mail address taken",
		"Another account has the e-mail address.",
		"Sign in with the address, ask for a new password, or use another address."}
	RateLimited = &Kind{"rate-limited", http.StatusTooManyRequests, "Rate limited",
		"The caller sent more requests a second than its plan allows; or its address made more company calls " +
			"without a key than a day allows, sent too many invalid keys, or sent too many messages within an hour.",
		"Wait for the seconds in Retry-After. A valid key raises the limit."}
	Internal = &Kind{"internal", http.StatusInternalServerError, "Internal error",
		"An internal error occurred.",
		"Try again; if it persists, report the id, which is also in the service's log."}
	UpstreamError = &Kind{"upstream-error", http.StatusBadGateway, "Registry error",
		"The registry that holds the data could not be reached, or answered with an error or a malformed response.",
		"Try again in a minute. Nothing was charged."}
	Unavailable = &Kind{"unavailable", http.StatusServiceUnavailable, "Temporarily unavailable",
		"The service cannot answer this right now: a registry is down, a queue is full, or the data is still being " +
			"loaded.",
		"Wait for the seconds in Retry-After, then try again. Nothing was charged."}
	UpstreamTimeout = &Kind{"upstream-timeout", http.StatusGatewayTimeout, "Registry timeout",
		"The registry that holds the data did not answer in time.",
		"Try again in a minute. Nothing was charged."}
)

// Kinds is the whole table, ordered by status.
var Kinds = []*Kind{
	InvalidRequest, Unauthorized, QuotaExhausted, EntitlementMissing, Forbidden, InsufficientScope, NotFound,
	CAENCodeReplaced, MethodNotAllowed, IdempotencyKeyInUse, CursorExpired, PayloadTooLarge, UnsupportedMediaType,
	RangeNotSatisfiable, MisdirectedRequest, IdempotencyKeyReused, EmailTaken, RateLimited, Internal, UpstreamError,
	Unavailable, UpstreamTimeout,
}

// New returns a problem of the kind with a formatted detail.
func (k *Kind) New(format string, args ...any) *Problem {
	return &Problem{Kind: k, Detail: fmt.Sprintf(format, args...)}
}

// general are the kinds that say no more than their status. The others have a subject, such as an Idempotency-Key.
var general = []*Kind{
	InvalidRequest, Unauthorized, Forbidden, NotFound, MethodNotAllowed, PayloadTooLarge, UnsupportedMediaType,
	RangeNotSatisfiable, MisdirectedRequest, RateLimited, Internal, UpstreamError, Unavailable, UpstreamTimeout,
}

// ForStatus returns the general kind for an HTTP status, where nothing more is known. A status without one gets the
// general kind of its class, with the title of the status.
func ForStatus(status int) *Kind {
	for _, k := range general {
		if k.Status == status {
			return k
		}
	}

	class := InvalidRequest
	if status >= 500 {
		class = Internal
	}

	title := http.StatusText(status)
	return &Kind{Slug: class.Slug, Status: status, Title: title, Meaning: title + ".", Remedy: class.Remedy}
}
