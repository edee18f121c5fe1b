package customer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/op/problem"
)

// Billing sells plans through a payment service.
type Billing interface {
	// Checkout returns the URL of the page on which an account buys a plan, or moves its subscription to another plan.
	Checkout(ctx context.Context, account, plan string) (url string, err error)
	// Portal returns the URL of the page on which an account manages its subscription.
	Portal(ctx context.Context, account string) (url string, err error)
}

// The errors of billing and of invoices.
var (
	// ErrNoBilling: no payment service is configured.
	ErrNoBilling = errors.New("no payment service is configured (RODATA_STRIPE_KEY)")
	// ErrNoInvoice: the account has no invoice with that id.
	ErrNoInvoice = errors.New("the account has no such invoice")
	// ErrNotRendered: the invoice is issued, but its PDF does not exist yet.
	ErrNotRendered = errors.New("the PDF of the invoice has not been generated yet")
	// ErrNoCustomer: the account has never started a checkout.
	ErrNoCustomer = errors.New("the account is not a customer of the payment service")
	// ErrNotSold: no plan with that code is for sale.
	ErrNotSold = errors.New("the plan is not for sale")
	// ErrBadSignature: the event is not from the payment service, or is too old.
	ErrBadSignature = errors.New("the signature is invalid")
)

// PaymentsDown reports that the payment service, or something it needs, is unavailable.
type PaymentsDown struct {
	// RetryAfter is the recommended pause before a retry.
	RetryAfter time.Duration
	// Err is the cause.
	Err error
}

func (e *PaymentsDown) Error() string { return "asking the payment service: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *PaymentsDown) Unwrap() error { return e.Err }

// PaymentPage is the page of the payment service on which the caller continues.
type PaymentPage struct {
	URL string `json:"url" doc:"URL of a page of the payment service, to open in the payer's browser. It is short-lived and valid for one visit."`
}

// billingProblem turns an error of billing into a problem; its cause is kept for the log.
func billingProblem(err error) error {
	down, isDown := errors.AsType[*PaymentsDown](err)
	switch {
	case errors.Is(err, ErrNoBilling):
		return problem.Unavailable.New("plans cannot be bought on this installation, because its operator has not " +
			"configured a payment service").After(time.Hour)
	case isDown:
		p := problem.Unavailable.New("the payment service is not answering; try again shortly").After(down.RetryAfter)
		return fmt.Errorf("%w: %w", p, err)
	case errors.Is(err, ErrNoCustomer):
		return problem.NotFound.New("the account has never bought a plan, so there is nothing to manage; buy one " +
			"with POST /v1/billing/checkout")
	}

	return err
}
