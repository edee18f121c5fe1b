package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/ro"
)

// openBilling takes a share in the billing over the service's store. It must be called after the store and the bank are
// open, so that it is closed before them.
func (s *Service) openBilling(c *Config) error {
	o, err := s.billingOptions(c)
	if err != nil {
		return fmt.Errorf("billing: %w", err)
	}

	options, err := json.Marshal([]any{c.Billing, o.Products, o.DefaultPlan, o.ReturnURL, c.Secret})
	if err != nil {
		return err
	}

	key := [...]any{s.Store, s.bank, string(options)}
	if err := share(&s.shares, &s.Billing, "the billing", key,
		func() (*billing.Billing, error) { return billing.Open(o) }); err != nil {
		return fmt.Errorf("billing: %w", err)
	}

	return nil
}

func (s *Service) billingOptions(c *Config) (o billing.Options, err error) {
	b := &c.Billing
	o = billing.Options{
		Accounts: s.Store, Store: s.Invoices, WebhookSecret: b.StripeWebhookSecret, Products: c.Products(),
		DefaultPlan: c.Catalogue()[0].Code,
		ReturnURL:   b.ReturnTo(c.BaseURL), AutomaticTax: b.AutomaticTax != "off", Grace: time.Duration(b.Grace),
		Seller: b.Seller.Invoice(), Series: b.Series, Logger: s.live,
		Exchange: fixingRates{s.bank.Registry, b.Exchange},
	}

	if o.VAT, err = b.VATRates(); err != nil {
		return o, err
	}
	if o.EFactura, err = s.openEFactura(c); err != nil || !b.IsOn() {
		return o, err
	}

	o.Stripe, err = billing.NewStripe(billing.StripeOptions{Key: b.StripeKey, URL: b.StripeURL})
	return o, err
}

// openEFactura returns the client, or nil if e-Factura is off. Its token is in the store, shared by all processes.
func (s *Service) openEFactura(c *Config) (*efactura.Client, error) {
	e := c.Billing.EFactura
	if e == nil {
		return nil, nil
	}

	tokens := efactura.NewSharedTokens(s.Invoices, s.secret, e.RefreshToken)
	return efactura.NewClient(e.Client(c.Billing.Seller, tokens))
}

// fixingRates are the central bank's exchange rates for invoices.
type fixingRates struct {
	fixings rate.Fixings
	rule    string
}

// publishedDecimals is the number of decimals with which the central bank publishes rates.
const publishedDecimals = 4

// Lei implements billing.ExchangeRates.
func (r fixingRates) Lei(ctx context.Context, currency string, day invoice.Date) (invoice.Exchange, error) {
	d := ro.NewDate(day.Year, day.Month, day.Day)
	if r.rule != settings.SameFixing {
		d--
	}

	fixing, fresh, err := r.fixings.On(ctx, d)
	if err != nil {
		return invoice.Exchange{}, err
	}
	if !fresh.FreshUntil.IsZero() && fresh.FreshUntil.Before(time.Now()) {
		return invoice.Exchange{}, fmt.Errorf("the fixing for %s is not published yet; the last one is of %s",
			d, fixing.Date)
	}

	for _, rate := range fixing.Rates {
		if string(rate.Currency) == currency {
			return invoice.Exchange{Rate: rate.Rate.Padded(publishedDecimals),
				Date: invoice.DateOf(fixing.Date.UTC())}, nil
		}
	}

	return invoice.Exchange{}, fmt.Errorf("the central bank quoted no %s on %s", currency, fixing.Date)
}
