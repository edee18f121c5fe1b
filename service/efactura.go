package service

import "github.com/rodata/rodata/billing/efactura"

// openEFactura returns the client, or nil if e-Factura is off. Its token is in the store, shared by all processes.
func (s *Service) openEFactura(c *Config) (*efactura.Client, error) {
	e := c.Billing.EFactura
	if e == nil {
		return nil, nil
	}

	tokens := efactura.NewSharedTokens(s.invoices, s.secret, e.RefreshToken)
	return efactura.NewClient(e.Client(c.Billing.Seller, tokens))
}
