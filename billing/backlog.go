package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/billing/ubl"
)

// EFacturaTrouble returns the reason why the token for RO e-Factura could not be renewed. It returns nil after a
// success, or if sending is off.
func (b *Billing) EFacturaTrouble() error {
	if b.o.EFactura == nil {
		return nil
	}
	return b.o.EFactura.SignInTrouble()
}

// ErrNoEFactura: sending to RO e-Factura is off.
var ErrNoEFactura = errors.New("efactura is off: turn it on first")

// Retry reopens the transmission of an invoice after manual review. The invoice is given by its ID or number. The ID of
// an upload may be empty: see efactura.Transmission.Reopen. An invoice that was not required when it was issued is sent
// if it is required now. The error wraps customer.ErrNoInvoice, ErrNoEFactura, efactura.ErrNotReopened or
// account.ErrStoreDown.
func (b *Billing) Retry(ctx context.Context, name, uploadID string) error {
	if b.sender == nil {
		return ErrNoEFactura
	}

	err := b.o.Store.ReopenInvoice(ctx, name, b.o.Now(), func(c store.Claim) (efactura.Transmission, error) {
		if b.withholds(c.Invoice) {
			return c.Transmission, fmt.Errorf("%w: %w", efactura.ErrNotReopened, errTestInvoice)
		}
		return reopen(c, uploadID)
	})
	if err == nil {
		b.o.Logger.Info("RO e-Factura: an operator reopened an invoice", "invoice", name, "upload", uploadID)
		b.wake(store.Sending)
	}

	return err
}

// reopen returns the next transmission of an invoice. A newer version of the program may be able to encode an invoice
// that broke a rule before.
func reopen(c store.Claim, uploadID string) (efactura.Transmission, error) {
	t := c.Transmission
	if len(t.Document.XML) == 0 {
		xml, err := ubl.Encode(c.Invoice)
		if err != nil {
			return t, fmt.Errorf("%w: %w", efactura.ErrNotReopened, err)
		}

		t.Document.XML = xml
	}

	if _, required := efactura.Describe(c.Invoice, nil); required && t.State == efactura.NotRequired {
		t = efactura.Begin(t.Document, true)
		t.State, t.GivenUp = efactura.Failed, true // as if it had been given up before the upload
	}

	return t.Reopen(uploadID)
}
