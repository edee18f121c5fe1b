package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rodata/rodata/op/problem"
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

// StripeEvents handles the events of Stripe. Its errors are ErrBadSignature and the errors of Billing.
type StripeEvents interface {
	// Expect returns an error if the signature shows that the event cannot come from Stripe. Its body is then not
	// read.
	Expect(signature string) error
	// Receive handles an event. Handling the same event again has no further effect.
	Receive(ctx context.Context, payload []byte, signature string) error
}

// StripeCallback is the route for the events of Stripe.
func StripeCallback(events StripeEvents) *Callback {
	return &Callback{
		Operation: &Operation{Spec: Spec{
			Name: "receive_stripe_event", Method: http.MethodPost, Path: "/v1/billing/webhook", Tag: "Billing",
			Unmetered: true, Success: http.StatusNoContent,
			Title: "Receive a Stripe event",
			Description: "Receives Stripe's events. A body that Stripe did not sign within the last 5 minutes is " +
				"rejected with 400. A success means that the event has been durably processed; a repeated event " +
				"changes nothing.",
			Errors: []*problem.Kind{problem.PayloadTooLarge, problem.RateLimited, problem.Unavailable},
		}},
		Signature: "Stripe-Signature",
		Expect:    func(signature string) error { return callbackProblem(events.Expect(signature)) },
		Receive: func(ctx context.Context, payload []byte, signature string) error {
			return callbackProblem(events.Receive(ctx, payload, signature))
		},
	}
}

// callbackProblem returns the problem of a rejected event.
func callbackProblem(err error) error {
	if errors.Is(err, ErrBadSignature) {
		return fmt.Errorf("%w: %w", problem.Invalid(&problem.InputError{
			Parameter: "Stripe-Signature", Code: problem.InvalidFormat, Accepted: "a signature made within the last " +
				"5 minutes",
			Reason: "the signature is invalid: sign the body exactly as sent, with the secret of the endpoint, and " +
				"send the signature within 5 minutes in the header Stripe-Signature",
		}), err)
	}

	return billingProblem(err)
}

// Receive answers a request to a callback. work reads and handles the event. Like Do, Receive turns every error into a
// problem and observes the call.
func (g *Gateway) Receive(ctx context.Context, c *Callback, call *Call, work func(context.Context) error) *Reply {
	seen := observe(ctx, c.Operation, call, time.Now())
	seen.Reply.Status = c.Success
	return g.finish(ctx, call, seen, protect(func() error { return work(&seen.asking) }))
}

// protect turns a panic into an error.
func protect(work func() error) (err error) {
	defer recovered(&err)
	return work()
}
