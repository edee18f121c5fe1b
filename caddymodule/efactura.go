package caddymodule

import (
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/billing/efactura"
)

// EFactura is how invoices are sent to RO e-Factura.
type EFactura struct {
	// Mode is prod, or test for the trial service, where invoices have no effect.
	Mode string `json:"mode"`
	// ClientID and ClientSecret are those of the program's registration with the tax
	// authority, and RefreshToken is what a person with a qualified certificate got
	// for it. Later tokens are kept in the store, sealed with the secret; another
	// refresh token begins anew. Give them as placeholders.
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
	// URL and TokenURL are the addresses of the service and of its sign-in, for
	// tests. Default: the tax authority's.
	URL      string `json:"url,omitempty"`
	TokenURL string `json:"token_url,omitempty"`
}

// readEFactura takes off, or a mode and a block.
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
		return d.Errf("efactura: %q is unknown: there are off, test and prod", e.Mode)
	}
	b.EFactura = e
	return options{
		"client_id": text(&e.ClientID), "client_secret": text(&e.ClientSecret), "refresh_token": text(&e.RefreshToken),
		"url": text(&e.URL), "token_url": text(&e.TokenURL),
	}.parse(d)
}

func (e *EFactura) validate(seller *Seller) error {
	switch {
	case e == nil:
		return nil
	case e.Mode != "test" && e.Mode != "prod":
		return fmt.Errorf("%q is unknown: there are test and prod", e.Mode)
	case seller == nil:
		return errors.New("seller is missing: only its invoices can be sent")
	case e.RefreshToken == "":
		return errors.New("refresh_token is missing: authorize the program once with a qualified certificate, and give what that gives")
	}
	_, err := efactura.NewClient(e.client(seller, new(efactura.SharedTokens)))
	return err
}

func (e *EFactura) client(seller *Seller, tokens efactura.TokenStore) efactura.Options {
	o := efactura.Options{
		URL: e.URL, TokenURL: e.TokenURL, ClientID: e.ClientID, ClientSecret: e.ClientSecret,
		Tokens: tokens, FiscalCode: seller.seller().FiscalCode(),
	}
	if o.URL == "" && e.Mode == "test" {
		o.URL = efactura.Trial
	}
	return o
}

// openEFactura makes the client; nil when it is off. Its token is in the store, for
// all processes on it.
func (s *service) openEFactura(a *App) (*efactura.Client, error) {
	e := a.Billing.EFactura
	if e == nil {
		return nil, nil
	}
	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return nil, err
	}
	tokens, err := efactura.NewSharedTokens(s.invoices, secret, e.RefreshToken)
	if err != nil {
		return nil, err
	}
	return efactura.NewClient(e.client(a.Billing.Seller, tokens))
}
