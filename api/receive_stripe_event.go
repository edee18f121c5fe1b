package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
)

type receiveStripeEventInput struct {
	Body      StripeEvent     `arg:"body" required:"true" max:"524288" lines:"true" doc:"The event, as JSON."`
	Signature StripeSignature `arg:"Stripe-Signature" required:"true" max:"4096" doc:"When the event was sent, and its signature, in the header of this name."`
}

func receiveStripeEvent(billing Billing) *Operation {
	return Define(Spec{
		Name: "receive_stripe_event", Method: "POST", Path: "/v1/billing/webhook", Tag: "Billing", Unmetered: true, Success: http.StatusNoContent,
		Signed: "Stripe-Signature",
		Screen: func(signature string) error { return notReceived(billing.Expect(signature)) },
		Title:  "Take an event of Stripe",
		Description: "Where Stripe sends its events. A body that Stripe did not sign within the last 5 minutes is a 400, and nothing is done. " +
			"A success says that what the event asks for is done for good; an event that comes again changes nothing.",
		Errors: []*problem.Kind{problem.RateLimited, problem.Unavailable},
	}, func(ctx context.Context, _ account.Caller, in receiveStripeEventInput) (Answer[struct{}], error) {
		return Answer[struct{}]{}, notReceived(billing.Receive(ctx, []byte(in.Body), string(in.Signature)))
	})
}

// notReceived says why an event was not taken.
func notReceived(err error) error {
	if errors.Is(err, ErrBadSignature) {
		return fmt.Errorf("%w: %w", problem.Invalid(&problem.InputError{
			Parameter: "Stripe-Signature", Code: problem.InvalidFormat, Accepted: "a signature of the last 5 minutes",
			Reason: "the signature is not valid: it is made with the secret of the endpoint, over the body as it was sent, within the last 5 minutes, and sent in the header Stripe-Signature",
		}), err)
	}
	return notBilled(err)
}

// StripeEvent is an event of Stripe as it was sent.
type StripeEvent string

// UnmarshalText takes every text.
func (e *StripeEvent) UnmarshalText(text []byte) error {
	*e = StripeEvent(text)
	return nil
}

// Schema describes an object with whatever fields.
func (StripeEvent) Schema() Schema { return Schema{Type: "object"} }

// StripeSignature is the value of the header Stripe-Signature.
type StripeSignature string

// UnmarshalText takes every text.
func (s *StripeSignature) UnmarshalText(text []byte) error {
	*s = StripeSignature(text)
	return nil
}

// Schema describes a text.
func (StripeSignature) Schema() Schema { return Schema{Type: "string"} }
