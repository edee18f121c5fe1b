package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
)

// Billing sells plans, by way of a payment service. Errors are those of package
// account.
type Billing interface {
	// Checkout is the address of the page where an account buys a plan, or changes
	// the subscription that it has to another plan.
	Checkout(ctx context.Context, account, plan string) (url string, err error)
	// Portal is the address of the page where an account looks after its
	// subscription.
	Portal(ctx context.Context, account string) (url string, err error)
	// Expect tells by its signature alone whether an event may be of the payment
	// service: the body of one that is not is not worth reading.
	Expect(signature string) error
	// Receive does what an event of the payment service asks for.
	Receive(ctx context.Context, payload []byte, signature string) error
}

// PaymentPage is where to go on.
type PaymentPage struct {
	URL string `json:"url" doc:"Address of a page of the payment service, for the browser of who pays. It is good for one visit, soon."`
}

// notBilled says why the payment service was of no help; the cause goes along, for
// the log.
func notBilled(err error) error {
	down := (*account.PaymentsDown)(nil)
	switch {
	case errors.Is(err, account.ErrNoBilling):
		p := problem.Unavailable.New("plans cannot be bought on this installation: its operator has configured no payment service")
		p.RetryAfter = time.Hour
		return p
	case errors.As(err, &down):
		p := problem.Unavailable.New("the payment service does not answer just now; try again shortly")
		p.RetryAfter = down.RetryAfter
		return fmt.Errorf("%w: %w", p, err)
	case errors.Is(err, account.ErrNoCustomer):
		return problem.NotFound.New("the account has never bought a plan, so there is nothing to look after; POST /v1/billing/checkout buys one")
	}
	return err
}
