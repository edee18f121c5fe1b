package billing

import (
	"context"
	"errors"
	"net/http"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/billing/store"
)

type session struct{ id, plan, url string }

func (b *Billing) sessionParams(c store.Customer, p *Product) *stripe.CheckoutSessionCreateParams {
	about := map[string]string{"account": c.Account, "plan": p.Plan}
	item := &stripe.CheckoutSessionCreateLineItemParams{Quantity: stripe.Int64(1)}
	if p.Price != "" {
		item.Price = stripe.String(p.Price)
	} else {
		item.PriceData = &stripe.CheckoutSessionCreateLineItemPriceDataParams{
			Currency: stripe.String("eur"), UnitAmount: stripe.Int64(p.CentsMonthly),
			TaxBehavior: stripe.String("exclusive"),
			Recurring: &stripe.CheckoutSessionCreateLineItemPriceDataRecurringParams{
				Interval: stripe.String("month"),
			},
			ProductData: &stripe.CheckoutSessionCreateLineItemPriceDataProductDataParams{Name: stripe.String(p.Name)},
		}
	}

	return &stripe.CheckoutSessionCreateParams{
		Mode: stripe.String("subscription"), Customer: stripe.String(c.ID), ClientReferenceID: stripe.String(c.Account),
		LineItems:                []*stripe.CheckoutSessionCreateLineItemParams{item},
		SuccessURL:               stripe.String(b.o.ReturnURL),
		CancelURL:                stripe.String(b.o.ReturnURL),
		BillingAddressCollection: stripe.String("required"),
		TaxIDCollection:          &stripe.CheckoutSessionCreateTaxIDCollectionParams{Enabled: stripe.Bool(true)},
		CustomerUpdate: &stripe.CheckoutSessionCreateCustomerUpdateParams{Name: stripe.String("auto"),
			Address: stripe.String("auto")},
		AutomaticTax:     &stripe.CheckoutSessionCreateAutomaticTaxParams{Enabled: stripe.Bool(b.o.AutomaticTax)},
		SubscriptionData: &stripe.CheckoutSessionCreateSubscriptionDataParams{Metadata: about},
		Metadata:         about,
		Locale:           stripe.String("ro"),
	}
}

func (s *Stripe) createSession(ctx context.Context, params *stripe.CheckoutSessionCreateParams) (string, error) {
	session, err := s.client.V1CheckoutSessions.Create(ctx, params)
	if err != nil {
		return "", wrapFailure("creating a checkout", err)
	}

	return session.URL, nil
}

func (s *Stripe) openSessions(ctx context.Context, customer string) ([]session, error) {
	open, err := collect(ctx, s.client.V1CheckoutSessions.List(ctx, &stripe.CheckoutSessionListParams{
		ListParams: onePage(), Customer: stripe.String(customer), Status: stripe.String("open"),
	}), func(c *stripe.CheckoutSession) (session, bool) {
		return session{c.ID, c.Metadata["plan"], c.URL}, c.Status == stripe.CheckoutSessionStatusOpen
	})
	return open, wrapFailure("listing open checkouts", err)
}

// expireSession expires a checkout. A completed one is left unchanged, because its subscription exists.
func (s *Stripe) expireSession(ctx context.Context, id string) error {
	_, err := s.client.V1CheckoutSessions.Expire(ctx, id, nil)
	if err == nil || !hasStatus(err, http.StatusBadRequest) {
		return wrapFailure("expiring a checkout", err)
	}

	current, err := s.client.V1CheckoutSessions.Retrieve(ctx, id, nil)
	if err == nil && current.Status == stripe.CheckoutSessionStatusOpen {
		err = errors.New("Stripe refuses, and the checkout is still open")
	}

	return wrapFailure("expiring a checkout", err)
}
