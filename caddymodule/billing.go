package caddymodule

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rodata/rodata/billing"
)

// billingKey identifies a shared billing: configurations with equal keys share one.
type billingKey struct {
	place    string // of the store
	dataDir  string
	bank     registryKey
	settings [sha256.Size]byte
}

// openBilling takes a share in the billing over the service's store. It must be called
// after the store and the bank are open, so that it is closed before them.
func (s *service) openBilling(a *App) error {
	o, err := s.billingOptions(a)
	if err != nil {
		return fmt.Errorf("billing: %w", err)
	}

	options, err := json.Marshal([]any{a.Billing, o.Products, o.DefaultPlan, o.ReturnURL, a.Secret})
	if err != nil {
		return err
	}

	key := billingKey{
		place: a.Store.Place(a.DataDir), dataDir: a.DataDir, bank: registryKey{a.Upstreams.BNR, a.DataDir},
		settings: sha256.Sum256(options),
	}
	s.billing, err = share(&s.shares, "the billing", key, func() (*billing.Billing, error) { return billing.Open(o) })
	if err != nil {
		return fmt.Errorf("billing: %w", err)
	}

	return nil
}

func (s *service) billingOptions(a *App) (o billing.Options, err error) {
	b := &a.Billing
	o = billing.Options{
		Accounts: s.store, Store: s.invoices, WebhookSecret: b.StripeWebhookSecret, Products: a.Products(),
		DefaultPlan: a.Catalogue()[0].Code,
		ReturnURL:   b.ReturnTo(a.BaseURL), AutomaticTax: b.AutomaticTax != "off", Grace: time.Duration(b.Grace),
		Seller: b.Seller.Invoice(), Series: b.Series, Rates: fixingRates{s.bank.Registry, b.Exchange}, Logger: live,
	}

	if o.VAT, err = b.Rates(); err != nil {
		return o, err
	}
	if o.EFactura, err = s.openEFactura(a); err != nil || !b.On() {
		return o, err
	}

	o.Stripe, err = billing.NewStripe(billing.StripeOptions{Key: b.StripeKey, URL: b.StripeURL})
	return o, err
}
