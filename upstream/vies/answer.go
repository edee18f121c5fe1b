package vies

import (
	"errors"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// checkAnswer returns the answer for a result: one that VIES has just given, or a cached one.
func checkAnswer(q Question, found *cache.Found[Result], hit string) op.Answer[*vat.VATCheck] {
	c := checkOf(q, found, hit)
	c.Sources[0].Stale = found.Stale // past its lifetime, while its state cannot be queried
	return op.Answer[*vat.VATCheck]{Value: c, Freshness: freshness(found, hit)}
}

// storedAnswer returns the answer for a cached result that is still fresh. All its readers share the answer.
func storedAnswer(q Question, found *cache.Found[Result]) op.Answer[*vat.VATCheck] {
	answer := found.Memo(func(Result) any {
		made := checkAnswer(q, found, op.Hit)
		made.Document, _ = op.EncodeDocument(made.Value) // if that fails, so does the gateway
		return made
	}).(op.Answer[*vat.VATCheck])
	answer.Freshness = freshness(found, op.Hit)
	return answer
}

// unknownAnswer returns the answer for a state that could not be queried, with the last known result.
func unknownAnswer(q Question, found *cache.Found[Result]) op.Answer[*vat.VATCheck] {
	reason, wait := trouble(found.Failure)
	c := &vat.VATCheck{
		VATNumber: q.Number, CountryCode: string(q.Number.State()), Status: vat.Unknown,
		Reason: &reason, RetryAfterSeconds: new(int((wait + time.Second - 1) / time.Second)),
		LastKnown: &vat.LastKnownVAT{Status: statusOf(found.Value), At: found.RetrievedAt.Truncate(time.Second)},
		Sources:   []company.Source{{Name: Name, Cache: op.Miss}},
	}
	return op.Answer[*vat.VATCheck]{Value: c, Freshness: op.Freshness{Cache: op.Miss}}
}

// trouble returns the reason of a failure, and its Retry-After.
func trouble(err error) (vat.Reason, time.Duration) {
	wait := busyPause
	if f, ok := errors.AsType[*op.Failure](err); ok && f.RetryAfter > 0 {
		wait = f.RetryAfter
	}

	return reasonOf(err), wait
}

func statusOf(v Result) vat.VATStatus {
	if v.Valid {
		return vat.Valid
	}
	return vat.Invalid
}

// checkOf converts a result to the API's type.
func checkOf(q Question, found *cache.Found[Result], hit string) *vat.VATCheck {
	v := &found.Value
	at := found.RetrievedAt.Truncate(time.Second)
	day := ro.DateIn(found.RetrievedAt, ro.Bucharest)
	c := &vat.VATCheck{
		VATNumber: q.Number, CountryCode: string(q.Number.State()), Status: statusOf(*v),
		Name: textOrNone(v.Name), Address: textOrNone(v.Address), RequestDate: &at,
		Sources:      []company.Source{{Name: Name, RetrievedAt: &at, AsOf: &day, Cache: hit}},
		RecordSHA256: v.RecordSHA256, RetrievedAt: found.RetrievedAt,
	}
	if !v.RequestDate.IsZero() {
		c.RequestDate = new(v.RequestDate.Truncate(time.Second))
	}
	if q.Requester != "" {
		c.Requester = new(q.Requester)
		c.ConsultationNumber = textOrNone(v.Consultation)
	}

	return c
}

func textOrNone(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// clientMaxAge bounds the lifetime of an answer in a client's cache.
const clientMaxAge = 5 * time.Minute

func freshness(found *cache.Found[Result], hit string) op.Freshness {
	return op.Freshness{Cache: hit, RetrievedAt: found.RetrievedAt, FreshUntil: found.FreshUntil, MaxAge: clientMaxAge}
}
