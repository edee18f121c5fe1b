package op

import (
	"context"
	"time"

	"github.com/rodata/rodata/account"
)

// callContext is a context with the call for which a registry is queried. It is part of the call's [Observation];
// context.WithValue would allocate twice on every cache hit.
type callContext struct {
	context.Context
	seen *Observation
}

// Envelope is the part of a call that operations can read besides its arguments.
type Envelope struct {
	// IdempotencyKey is the header of this name; empty for none.
	IdempotencyKey string
	// Wait is how long the caller prefers to wait for the end of a job.
	Wait time.Duration
	// Media is the media type requested; empty for JSON.
	Media string
	// Upload is the body that was received in a file; nil without a large body.
	Upload *Spool
}

type callerKey struct{}

// observationIn returns the call of a context from WithCaller or the gateway; for any other context, an empty one.
func observationIn(ctx context.Context) *Observation {
	if a, ok := ctx.Value(callerKey{}).(*callContext); ok {
		return a.seen
	}
	return new(Observation)
}

// EnvelopeOf returns the envelope of a context's call.
func EnvelopeOf(ctx context.Context) Envelope { return observationIn(ctx).envelope }

// Value implements context.Context.
func (a *callContext) Value(key any) any {
	if key == (callerKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// WithCaller returns a context with the caller, so that a registry's queue can be fair between callers.
func WithCaller(ctx context.Context, caller account.Caller) context.Context {
	seen := &Observation{Caller: caller, Reply: Reply{arrival: time.Now()}}
	seen.context = callContext{ctx, seen}
	return &seen.context
}

// BaseURLOf returns the service's address as in the request, without a trailing slash.
func BaseURLOf(ctx context.Context) string { return observationIn(ctx).Reply.baseURL }

// CallerOf returns the caller of WithCaller, or the zero Caller for the service itself.
func CallerOf(ctx context.Context) account.Caller { return observationIn(ctx).Caller }
