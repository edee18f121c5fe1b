package billing

import (
	"context"
	"net/http"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/api/customer"
)

// Portal returns the address of the page where an account manages its subscription, payment methods and billing
// details. It returns customer.ErrNoBilling, customer.ErrNoCustomer for an account that has never been to the
// checkout, a *customer.PaymentsDown if Stripe does not respond, or an error that wraps account.ErrStoreDown.
func (b *Billing) Portal(ctx context.Context, owner string) (string, error) {
	if b.o.Stripe == nil {
		return "", customer.ErrNoBilling
	}

	c, err := b.o.Store.Customer(ctx, owner)
	if err != nil {
		return "", down(err)
	}

	ctx, cancel := context.WithTimeout(ctx, checkoutTime)
	defer cancel()
	return b.o.Stripe.portal(ctx, c.ID, b.o.ReturnURL, "")
}

// portal returns the address of a customer's page in the portal. With a subscription, it is the page that changes the
// subscription to another plan. If the portal's settings do not allow that change, it is the general page.
func (s *Stripe) portal(ctx context.Context, customer, back, subscription string) (string, error) {
	params := &stripe.BillingPortalSessionCreateParams{Customer: stripe.String(customer),
		ReturnURL: stripe.String(back)}
	if subscription != "" {
		params.FlowData = &stripe.BillingPortalSessionCreateFlowDataParams{
			Type: stripe.String("subscription_update"),
			SubscriptionUpdate: &stripe.BillingPortalSessionCreateFlowDataSubscriptionUpdateParams{
				Subscription: stripe.String(subscription),
			},
		}
	}

	page, err := s.client.V1BillingPortalSessions.Create(ctx, params)
	if err != nil && subscription != "" && hasStatus(err, http.StatusBadRequest) {
		return s.portal(ctx, customer, back, "")
	}
	if err != nil {
		return "", wrapFailure("creating a portal session", err)
	}

	return page.URL, nil
}
