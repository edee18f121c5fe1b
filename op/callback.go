package op

import (
	"context"
	"time"

	"github.com/rodata/rodata/internal/panics"
)

// Callback is a route to which another service posts signed events. It is described, counted and logged like an
// operation, but it exists only in REST and receives the raw body.
type Callback struct {
	// Operation describes the route. Gateway.Do cannot run it.
	*Operation
	// Signature is the header with the sender's signature of the body.
	Signature string
	// Expect returns an error if the signature, which may be empty, shows that the body need not be read.
	Expect func(signature string) error
	// Receive carries out the effect of an event.
	Receive func(ctx context.Context, payload []byte, signature string) error
}

// Receive answers a request to a callback. work reads and handles the event. Like Do, Receive turns every error into a
// problem and observes the call.
func (g *Gateway) Receive(ctx context.Context, c *Callback, call *Call, work func(context.Context) error) *Reply {
	seen := observe(ctx, c.Operation, call, time.Now())
	seen.Reply.Status = c.Success
	return g.finish(ctx, call, seen, func() (err error) {
		defer panics.Recover(&err)
		return work(&seen.context)
	}())
}
