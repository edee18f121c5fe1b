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
