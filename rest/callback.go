package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// Limits on the senders of events. A signature can be verified only after reading the whole body, so any client can
// make the service read a body.
const (
	maxEvent      = 512 << 10        // bytes
	eventTime     = 10 * time.Second // for sending it
	maxEvents     = 32               // read concurrently: 16 MiB
	maxEventsEach = 4                // of them from one address
)

// eventRate limits events by sender address.
var eventRate = metering.PerSecond(20, 200)

// callback returns the callback of a route; nil for other routes.
func (h *Handler) callback(o *op.Operation) *op.Callback {
	for _, c := range h.Callbacks {
		if c.Operation == o {
			return c
		}
	}

	return nil
}

// receive answers a request to a callback.
func (x *exchange) receive(c *op.Callback) {
	call := op.Call{Channel: "rest", Address: x.Address(x.r), RequestID: x.id}
	x.write(x.Gateway.Receive(x.r.Context(), c, &call, func(ctx context.Context) error {
		signature := x.r.Header.Get(c.Signature)
		event, err := x.event(c, signature, metering.AddressBucket(call.Address))
		if err != nil {
			return err
		}

		return c.Receive(ctx, event, signature)
	}))
}

// event reads the body, unless admitEvent refuses the request.
func (x *exchange) event(c *op.Callback, signature string, sender metering.BucketID) ([]byte, error) {
	if err := x.admitEvent(c, signature, sender); err != nil {
		if x.r.ProtoMajor == 1 { // otherwise the server would read the body before it sends the answer
			x.w.Header()["Connection"] = []string{"close"}
		}
		return nil, err
	}
	defer x.Events.Leave(sender)

	// The deadline is removed once the body has been read, because the work may take longer. The error is ignored
	// because writers in tests do not support deadlines.
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(eventTime))
	return web.ReadBody(x.w, x.r, maxEvent)
}

// admitEvent decides whether a body is read, and takes a slot for it.
func (x *exchange) admitEvent(c *op.Callback, signature string, sender metering.BucketID) error {
	if err := c.Expect(signature); err != nil {
		return err
	}

	if wait := x.Buckets.Take(metering.Named("signed", sender.Network), eventRate).RetryAfter; wait > 0 {
		return problem.RateLimited.New("more than %d events a second (%d at once) came from this address; wait for "+
			"the time in Retry-After", eventRate.N, eventRate.Burst).After(wait)
	}

	if !x.Events.Enter(sender, maxEvents, maxEventsEach) {
		return problem.Unavailable.New("too many events are being received at once; send this one again").
			After(eventTime)
	}

	return nil
}
