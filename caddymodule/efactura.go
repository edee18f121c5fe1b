package caddymodule

import (
	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/billing/efactura"
)

// openEFactura returns the client, or nil if e-Factura is off. Its token is in the store, shared by all processes.
func (s *service) openEFactura(a *App) (*efactura.Client, error) {
	e := a.Billing.EFactura
	if e == nil {
		return nil, nil
	}

	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return nil, err
	}

	tokens := efactura.NewSharedTokens(s.invoices, secret, e.RefreshToken)
	return efactura.NewClient(e.Client(a.Billing.Seller, tokens))
}
