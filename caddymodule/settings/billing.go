package settings

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/caddymodule/internal/option"
)

// Billing configures the sale of plans through Stripe and their invoices. Placeholders are resolved. Default: nothing
// is sold.
type Billing struct {
	// StripeKey is Stripe's secret key, sk_live_...; with sk_test_... nothing is charged, and all other settings here
	// are optional. Give it as a placeholder, {env.RODATA_STRIPE_KEY} or {file./run/secrets/stripe}, so that the
	// configuration does not show it.
	StripeKey string `json:"stripe_key,omitempty"`
	// StripeWebhookSecret is the signing secret, whsec_..., of Stripe's endpoint for /v1/billing/webhook. Required with
	// a live key.
	StripeWebhookSecret string `json:"stripe_webhook_secret,omitempty"`
	// StripeURL is Stripe's address, for tests. Default: https://api.stripe.com.
	StripeURL string `json:"stripe_url,omitempty"`
	// ReturnURL is the page to which Stripe redirects people when they are done. Default: base_url followed by
	// /dashboard/plans. One of the two is required with a live key.
	ReturnURL string `json:"return_url,omitempty"`
	// AutomaticTax, on or off, lets Stripe Tax add the VAT to prices; when off, prices include it. Default: on.
	AutomaticTax string `json:"automatic_tax,omitempty"`
	// Grace is the time for which an account keeps its plan after a failed payment. Default: 72h.
	Grace caddy.Duration `json:"grace,omitempty"`
	// Seller issues the invoices. Required with a live key. Default with a test key: an invented seller, with invoices
	// in the series TEST. All invoices of a test key say TEST and never go to RO e-Factura's production.
	Seller *Seller `json:"seller,omitempty"`
	// Series is the series of the invoices: a capital letter, then up to nine capital letters and digits. Default: RD.
	Series string `json:"series,omitempty"`
	// Exchange selects the central bank's fixing that converts the VAT of a payment to lei: previous_fixing, the last
	// one before the day of the payment; or fixing, the last one on or before that day. Default: previous_fixing.
	Exchange string `json:"exchange,omitempty"`
	// VAT are standard rates in addition to the built-in ones: 19 % since 2017-01-01 and 21 % since 2025-08-01.
	VAT []VATRate `json:"vat,omitempty"`
	// EFactura sends the invoices of customers in Romania to RO e-Factura. Default: they are not sent.
	EFactura *EFactura `json:"efactura,omitempty"`
}

// rows are the rows of the block in a Caddyfile.
func (b *Billing) rows() option.Table {
	return option.Table{
		"stripe_key":            option.Secret(&b.StripeKey, checkStripeKey),
		"stripe_webhook_secret": option.Secret(&b.StripeWebhookSecret),
		"stripe_url":            option.Secret(&b.StripeURL, checkStripeURL),
		"return_url":            option.Secret(&b.ReturnURL, checkBaseURL),
		"automatic_tax":         option.Secret(&b.AutomaticTax, checkSwitch),
		"grace":                 option.Duration(&b.Grace),
		"seller":                option.Part(b.readSeller, func() option.Table { return b.Seller.rows() }),
		"series":                option.Secret(&b.Series),
		"exchange":              option.Secret(&b.Exchange, checkExchange),
		"vat ...":               option.Read(b.readVAT),
		"efactura":              option.Part(b.readEFactura, func() option.Table { return b.EFactura.rows() }),
	}
}

// The rules that select the fixing for an invoice.
const (
	PreviousFixing = "previous_fixing"
	SameFixing     = "fixing"
)

var checkExchange = oneOf(PreviousFixing, SameFixing)

// checkStripeKey returns errors that do not contain the key.
func checkStripeKey(key string) error {
	_, err := billing.NewStripe(billing.StripeOptions{Key: key})
	return err
}

func checkStripeURL(url string) error {
	_, err := billing.NewStripe(billing.StripeOptions{Key: "sk_test_", URL: url})
	return err
}

// IsOn reports whether plans can be sold.
func (b *Billing) IsOn() bool { return b.StripeKey != "" }

// validate rejects settings with which a payment would not lead to a plan and an invoice.
func (b *Billing) validate(plans []Plan, baseURL string) error {
	rates, err := b.VATRates()
	if err != nil {
		return fmt.Errorf("vat: %w", err)
	}

	if b.Seller != nil {
		if err := billing.CheckSeller(*b.Seller.Invoice(), b.Series, rates); err != nil {
			return fmt.Errorf("seller: %w", err)
		}
	}

	if err := checkPrices(plans); err != nil {
		return err
	}
	if err := b.EFactura.validate(b.Seller); err != nil {
		return fmt.Errorf("efactura: %w", err)
	}
	if !b.IsOn() || billing.IsTestKey(b.StripeKey) {
		return nil
	}

	switch {
	case b.StripeWebhookSecret == "":
		return errors.New("stripe_webhook_secret is missing: without it, payments do not activate plans; create an " +
			"endpoint for /v1/billing/webhook at Stripe and set its secret (RODATA_STRIPE_WEBHOOK_SECRET)")
	case b.ReturnURL == "" && baseURL == "":
		return errors.New("set return_url, the page to which Stripe sends people back, or base_url (RODATA_BASE_URL)")
	case b.Seller == nil:
		return errors.New("seller is missing: every payment needs an invoice, and an invoice a seller")
	}

	return checkSold(plans)
}

// ReturnTo returns the page to which people return from Stripe.
func (b *Billing) ReturnTo(baseURL string) string {
	if b.ReturnURL != "" {
		return b.ReturnURL
	}
	return cmp.Or(baseURL, "https://localhost") + "/dashboard/plans"
}
