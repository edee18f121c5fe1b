package caddymodule

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/billing"
)

// Billing is how plans are sold, by way of Stripe, and invoiced. Placeholders are
// resolved. Default: nothing is sold.
type Billing struct {
	// StripeKey is Stripe's secret key, sk_live_...; with sk_test_... nothing is
	// charged, and all else here may be left out. Give it as a placeholder,
	// {env.RODATA_STRIPE_KEY} or {file./run/secrets/stripe}, so that the configuration
	// does not show it.
	StripeKey string `json:"stripe_key,omitempty"`
	// StripeWebhookSecret is the signing secret, whsec_..., of Stripe's endpoint for
	// /v1/billing/webhook. Required with a live key.
	StripeWebhookSecret string `json:"stripe_webhook_secret,omitempty"`
	// StripeURL is Stripe's address, for tests. Default: https://api.stripe.com.
	StripeURL string `json:"stripe_url,omitempty"`
	// ReturnURL is the page to which Stripe sends people back. Default: /dashboard/plans
	// behind base_url. One of the two is required with a live key.
	ReturnURL string `json:"return_url,omitempty"`
	// AutomaticTax, on or off, has Stripe Tax add the VAT to prices; with off, prices
	// contain it. Default: on.
	AutomaticTax string `json:"automatic_tax,omitempty"`
	// Grace is how long a plan outlives a payment that failed. Default: 72h.
	Grace caddy.Duration `json:"grace,omitempty"`
	// Seller is who issues the invoices. Required with a live key. Default with a test
	// key: an invented seller, with invoices in the series TEST. All invoices of a test
	// key say TEST and never go to RO e-Factura's production.
	Seller *Seller `json:"seller,omitempty"`
	// Series is that of the invoices: a capital, then up to nine capitals and digits.
	// Default: RD.
	Series string `json:"series,omitempty"`
	// Exchange says which of the central bank's fixings puts the VAT of a payment in
	// lei: previous_fixing, the last one before its day; or fixing, the last one on or
	// before it. Default: previous_fixing.
	Exchange string `json:"exchange,omitempty"`
	// VAT are standard rates beyond those that are known: 19 % since 2017-01-01 and
	// 21 % since 2025-08-01.
	VAT []VATRate `json:"vat,omitempty"`
	// EFactura sends the invoices of customers in Romania to RO e-Factura. Default:
	// they are not sent.
	EFactura *EFactura `json:"efactura,omitempty"`
}

// options are the rows of the block in a Caddyfile.
func (b *Billing) options() options {
	return options{
		"stripe_key":            text(&b.StripeKey, checkStripeKey),
		"stripe_webhook_secret": text(&b.StripeWebhookSecret),
		"stripe_url":            text(&b.StripeURL, checkStripeURL),
		"return_url":            text(&b.ReturnURL, checkBaseURL),
		"automatic_tax":         text(&b.AutomaticTax, checkSwitch),
		"grace":                 duration(&b.Grace),
		"seller":                b.readSeller,
		"series":                text(&b.Series),
		"exchange":              text(&b.Exchange, checkExchange),
		"vat ...":               b.readVAT,
		"efactura":              b.readEFactura,
	}
}

// checkStripeKey does not show the key.
func checkStripeKey(key string) error {
	_, err := billing.NewStripe(billing.StripeOptions{Key: key})
	return err
}

func checkStripeURL(url string) error {
	_, err := billing.NewStripe(billing.StripeOptions{Key: "sk_test_", URL: url})
	return err
}

func (b *Billing) resolve(repl *caddy.Replacer) error {
	fields := map[string]*string{
		"stripe_key": &b.StripeKey, "stripe_webhook_secret": &b.StripeWebhookSecret, "stripe_url": &b.StripeURL, "return_url": &b.ReturnURL,
		"automatic_tax": &b.AutomaticTax, "series": &b.Series, "exchange": &b.Exchange,
	}
	if s := b.Seller; s != nil {
		for name, field := range map[string]*string{
			"name": &s.Name, "street": &s.Street, "city": &s.City, "county": &s.County, "postal_code": &s.PostalCode, "vat_id": &s.VATID,
			"trade_register": &s.TradeRegister, "capital": &s.Capital, "iban": &s.IBAN, "bank": &s.Bank, "email": &s.Email, "phone": &s.Phone,
		} {
			fields["seller "+name] = field
		}
	}
	if e := b.EFactura; e != nil {
		for name, field := range map[string]*string{
			"client_id": &e.ClientID, "client_secret": &e.ClientSecret, "refresh_token": &e.RefreshToken, "url": &e.URL, "token_url": &e.TokenURL,
		} {
			fields["efactura "+name] = field
		}
	}
	for name, field := range fields {
		value, err := repl.ReplaceOrErr(*field, false, true)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*field = strings.TrimRight(value, "\r\n") // files end with a newline
	}
	return nil
}

// on reports whether anything can be sold.
func (b *Billing) on() bool { return b.StripeKey != "" }

// trial reports whether nothing is charged.
func (b *Billing) trial() bool { return billing.TestKey(b.StripeKey) }

// validate refuses settings with which money would come in that nobody has a plan or
// an invoice for.
func (b *Billing) validate(plans []Plan, baseURL string) error {
	for _, setting := range []struct {
		name  string
		check func(string) error
		value string
	}{
		{"stripe_key", checkStripeKey, cmp.Or(b.StripeKey, "sk_test_")},
		{"stripe_url", checkStripeURL, b.StripeURL},
		{"return_url", checkBaseURL, b.ReturnURL},
		{"automatic_tax", checkSwitch, cmp.Or(b.AutomaticTax, "on")},
		{"exchange", checkExchange, cmp.Or(b.Exchange, previousFixing)},
	} {
		if err := setting.check(setting.value); err != nil {
			return fmt.Errorf("%s: %w", setting.name, err)
		}
	}
	rates, err := b.vat()
	if err != nil {
		return fmt.Errorf("vat: %w", err)
	}
	if b.Seller != nil {
		if err := billing.CheckSeller(*b.Seller.seller(), b.Series, rates); err != nil {
			return fmt.Errorf("seller: %w", err)
		}
	}
	if err := checkPrices(plans); err != nil {
		return err
	}
	if err := b.EFactura.validate(b.Seller); err != nil {
		return fmt.Errorf("efactura: %w", err)
	}
	if !b.on() || b.trial() {
		return nil
	}
	switch {
	case b.StripeWebhookSecret == "":
		return errors.New("stripe_webhook_secret is missing: without it nobody gets the plan that they paid for; make an endpoint for /v1/billing/webhook at Stripe and give its secret (RODATA_STRIPE_WEBHOOK_SECRET)")
	case b.ReturnURL == "" && baseURL == "":
		return errors.New("give return_url, the page to which people come back from Stripe, or base_url (RODATA_BASE_URL)")
	case b.Seller == nil:
		return errors.New("seller is missing: an invoice is owed for each payment, and needs who issues it")
	}
	return checkSold(plans)
}

// returnURL is where people come back to.
func (b *Billing) returnURL(baseURL string) string {
	if b.ReturnURL != "" {
		return b.ReturnURL
	}
	return cmp.Or(baseURL, "https://localhost") + "/dashboard/plans"
}

// billingKey names a billing among what is shared: configurations that agree in all
// of this share one.
type billingKey struct {
	place    string // of the store
	dataDir  string
	bank     bnrKey
	settings [sha256.Size]byte
}

type sharedBilling struct{ *billing.Billing }

// Destruct ends the work on invoices.
func (b sharedBilling) Destruct() error { return b.Close() }

// openBilling takes a share in the billing over the service's store. It has to be
// leased after the store and the bank, so that it is closed before them.
func (s *service) openBilling(a *App, bank api.Fixings) error {
	o, err := s.billingOptions(a, bank)
	if err != nil {
		return fmt.Errorf("billing: %w", err)
	}
	settings, err := json.Marshal([]any{a.Billing, o.Products, o.DefaultPlan, o.ReturnURL, a.Secret})
	if err != nil {
		return err
	}
	key := billingKey{place: a.Store.place(a.DataDir), dataDir: a.DataDir, bank: a.Upstreams.BNR.key(a.DataDir), settings: sha256.Sum256(settings)}
	shared, err := lease(&s.leases, key, func() (sharedBilling, error) {
		b, err := billing.Open(o)
		return sharedBilling{b}, err
	})
	if err != nil {
		return fmt.Errorf("billing: %w", err)
	}
	s.billing = shared.Billing
	return nil
}

func (s *service) billingOptions(a *App, bank api.Fixings) (o billing.Options, err error) {
	b := &a.Billing
	o = billing.Options{
		Accounts: s.store, Store: s.invoices, WebhookSecret: b.StripeWebhookSecret, Products: products(a.plans, a.Plans), DefaultPlan: a.plans[0].Code,
		ReturnURL: b.returnURL(a.BaseURL), AutomaticTax: b.AutomaticTax != "off", Grace: time.Duration(b.Grace),
		Seller: b.Seller.seller(), Series: b.Series, Rates: fixingRates{bank, b.Exchange}, Logger: slog.New(liveLog{}),
	}
	if o.VAT, err = b.vat(); err != nil {
		return o, err
	}
	if o.EFactura, err = s.openEFactura(a); err != nil || !b.on() {
		return o, err
	}
	o.Stripe, err = billing.NewStripe(billing.StripeOptions{Key: b.StripeKey, URL: b.StripeURL})
	return o, err
}
