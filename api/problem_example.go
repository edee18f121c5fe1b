package api

import (
	"encoding/json"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// problemExample returns an example of a problem of a kind, as JSON.
func problemExample(k *problem.Kind) json.RawMessage {
	p := problem.Problem{Detail: k.Meaning}
	if example, known := problemExamples[k]; known {
		p = example
	}

	p.Kind = k
	return p.JSON("https://rodata.example")
}

// problemExamples are problems of calls with the most common errors.
var problemExamples = map[*problem.Kind]problem.Problem{
	problem.InvalidRequest: *problem.Invalid(wrongDigit("9900000011")),
	problem.Unauthorized:   {Detail: "the key is unknown or revoked"},
	problem.QuotaExhausted: {Detail: "the credits of November 2026 are used up: the plan free has 100 a month; " +
		"change to a plan with more (GET /v1/plans), or wait until 2026-12-01, 00:00 UTC"},
	problem.EntitlementMissing: {Detail: "the plan free does not include companies.search; choose a plan that does"},
	problem.Forbidden: {Detail: "legalRepresentatives contains names of persons and needs a key of an account with " +
		"a verified e-mail address; send one, or leave it out of include"},
	problem.InsufficientScope: {Detail: "this needs the scope rodata:watch, and the user granted rodata:read; ask the " +
		"user to grant it"},
	problem.NotFound: {Detail: "nothing has this id; check it, or list what exists"},
	problem.CAENCodeReplaced: *reference.ReplacedBy("6201",
		[]reference.Successor{{Code: "6210", Name: "Activități de realizare a soft-ului la comandă (software orientat client)",
			NameEn: "Computer programming activities", Type: reference.Class}}),
	problem.IdempotencyKeyInUse: {Detail: "a call with this Idempotency-Key is still being answered; wait for its " +
		"answer, or repeat the call later"},
	problem.CursorExpired: {Detail: "events after this cursor have been deleted: they are kept for 90 days. " +
		"Continue from oldestCursor, and fetch the companies themselves for what was missed"},
	problem.PayloadTooLarge:      {Detail: "the body is larger than the limit of 1048576 bytes"},
	problem.UnsupportedMediaType: {Detail: "the body must be JSON; send it with Content-Type: application/json"},
	problem.RangeNotSatisfiable:  {Detail: "the range bytes=400000000- is not in the file, which has 298451022 bytes"},
	problem.IdempotencyKeyReused: {Detail: "this Idempotency-Key was used within the last 24 hours for a different " +
		"call; use a new key for each new call"},
	problem.EmailTaken: {Detail: "User already exists. Use another email."},
	problem.RateLimited: {Detail: "more requests came from this caller than its limit of 2 a second (10 at once); " +
		"wait for the time in Retry-After"},
	problem.Internal:        {Detail: "an internal error occurred; it is logged under the id 3F2A9C71", ID: "3F2A9C71"},
	problem.UpstreamError:   {Detail: "the tax authority answered with an error; try again in a minute"},
	problem.Unavailable:     {Detail: "the tax authority cannot be queried right now; try again later"},
	problem.UpstreamTimeout: {Detail: "the tax authority did not answer in time; try again in a minute"},
}

// wrongDigit is the error of a CUI with a wrong check digit.
func wrongDigit(text string) *problem.InputError {
	wrong := *new(ro.CUI).UnmarshalText([]byte(text)).(*problem.InputError)
	wrong.Parameter, wrong.Received = "cui", &text
	return &wrong
}
