package op

import (
	"context"
	"time"

	"github.com/rodata/rodata/account"
)

// Observation holds the facts about a call for logs and metrics.
type Observation struct {
	Operation *Operation
	Channel   string
	Caller    account.Caller
	Reply     Reply
	// RequestID is the Call's.
	RequestID string
	// StaleBy is how long the answer had been stale when the call arrived; 0 if it was fresh.
	StaleBy time.Duration

	context  callContext
	envelope Envelope
	payment  *payment      // of an operation that charges its caller itself
	began    time.Duration // from arrival to the start of a stream
}

// observe begins to observe a call.
func observe(ctx context.Context, op *Operation, call *Call, start time.Time) *Observation {
	seen := &Observation{
		Operation: op, Channel: call.Channel, RequestID: call.RequestID,
		Caller: account.Caller{Address: call.Address},
		Reply: Reply{Private: op.Cost > 0, Shared: op.Cost == 0 && !op.Account && !op.Unmetered, Personal: op.Account,
			Credits: -1, arrival: start, media: call.Media, baseURL: call.BaseURL},
	}
	seen.context, seen.envelope = callContext{ctx, seen}, Envelope{IdempotencyKey: call.IdempotencyKey,
		Wait: call.Wait, Media: call.Media}
	return seen
}

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
