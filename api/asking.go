package api

import (
	"context"
	"time"

	"github.com/rodata/rodata/account"
)

// asking is a context with the call for which a registry is asked. It is part of the call's [Observation];
// context.WithValue would allocate twice on every cache hit.
type asking struct {
	context.Context
	seen *Observation
}

// sent is the part of a call that operations can read besides its arguments.
type sent struct {
	idempotencyKey string
	wait           time.Duration
	media          string
	upload         *spool // nil without a large body
}

type callerKey struct{}

// seenIn returns the call of a context from WithCaller or the gateway; for any other context, an empty one.
func seenIn(ctx context.Context) *Observation {
	if a, ok := ctx.Value(callerKey{}).(*asking); ok {
		return a.seen
	}
	return new(Observation)
}

// sentWith returns the headers and preferences of a context's call.
func sentWith(ctx context.Context) sent { return seenIn(ctx).sent }

// Value implements context.Context.
func (a *asking) Value(key any) any {
	if key == (callerKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// WithCaller returns a context with the caller, so that a registry's queue can be fair between callers.
func WithCaller(ctx context.Context, caller account.Caller) context.Context {
	seen := &Observation{Caller: caller, Reply: Reply{arrival: time.Now()}}
	seen.asking = asking{ctx, seen}
	return &seen.asking
}

// baseURLOf returns the service's address as in the request, without a trailing slash.
func baseURLOf(ctx context.Context) string { return seenIn(ctx).Reply.baseURL }

// CallerOf returns the caller of WithCaller, or the zero Caller for the service itself.
func CallerOf(ctx context.Context) account.Caller { return seenIn(ctx).Caller }
