package customer

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// StripeEvents handles the events of Stripe. Its errors are ErrBadSignature and the errors of Billing.
type StripeEvents interface {
	// Expect returns an error if the signature shows that the event cannot come from Stripe. Its body is then not
	// read.
	Expect(signature string) error
	// Receive handles an event. Handling the same event again has no further effect.
	Receive(ctx context.Context, payload []byte, signature string) error
}

// StripeCallback is the route for the events of Stripe.
func StripeCallback(events StripeEvents) *op.Callback {
	return &op.Callback{
		Operation: &op.Operation{Spec: op.Spec{
			Name: "receive_stripe_event", Method: http.MethodPost, Path: "/v1/billing/webhook", Tag: tag.Billing,
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
