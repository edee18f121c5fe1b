package settings

import (
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/caddymodule/internal/option"
)

// EFactura configures the transmission of invoices to RO e-Factura.
type EFactura struct {
	// Mode is prod, or test for the trial service, where invoices have no legal effect.
	Mode string `json:"mode"`
	// ClientID and ClientSecret come from registering the application with the tax authority. A person with a
	// qualified certificate obtains the RefreshToken. Later tokens are stored encrypted with the secret; setting a
	// different RefreshToken replaces them. Give all three as placeholders.
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
	// URL and TokenURL are the addresses of the service and of its token endpoint, for tests. Default: the tax
	// authority's.
	URL      string `json:"url,omitempty"`
	TokenURL string `json:"token_url,omitempty"`
}

// readEFactura reads off, or a mode and a block.
func (b *Billing) readEFactura(d *caddyfile.Dispenser) error {
	e := new(EFactura)
	if !d.Args(&e.Mode) {
		return d.Err("efactura needs a value: off, test or prod")
	}

	switch e.Mode {
	case "off":
		return nil
	case "test", "prod":
	default:
		return d.Errf("efactura: %q is unknown; use off, test or prod", e.Mode)
	}

	b.EFactura = e
	return e.rows().Parse(d)
}

// rows are the rows of the block; none without it.
func (e *EFactura) rows() option.Table {
	if e == nil {
		return nil
	}
	return option.Table{
		"client_id": option.Secret(&e.ClientID), "client_secret": option.Secret(&e.ClientSecret),
		"refresh_token": option.Secret(&e.RefreshToken), "url": option.Secret(&e.URL),
		"token_url": option.Secret(&e.TokenURL),
	}
}

func (e *EFactura) validate(seller *Seller) error {
	switch {
	case e == nil:
		return nil
	case e.Mode != "test" && e.Mode != "prod":
		return fmt.Errorf("%q is unknown; use test or prod", e.Mode)
	case seller == nil:
		return errors.New("seller is missing: invoices are sent in its name")
	case e.RefreshToken == "":
		return errors.New("refresh_token is missing: authorize the application once with a qualified certificate, " +
			"and set the token that this returns")
	}

	_, err := efactura.NewClient(e.Client(seller, new(efactura.SharedTokens)))
	return err
}

// Client returns the options of the client that sends the invoices of a seller.
func (e *EFactura) Client(seller *Seller, tokens efactura.TokenStore) efactura.Options {
	o := efactura.Options{
		URL: e.URL, TokenURL: e.TokenURL, ClientID: e.ClientID, ClientSecret: e.ClientSecret,
		Tokens: tokens, FiscalCode: seller.Invoice().FiscalCode(),
	}
	if o.URL == "" && e.Mode == "test" {
		o.URL = efactura.TestURL
	}

	return o
}
