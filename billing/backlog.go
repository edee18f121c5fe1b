package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/ubl"
)

// InvoiceSummary is the operator's view of an invoice.
type InvoiceSummary struct {
	ID, Account string
	// Payment is Stripe's ID of the paid invoice.
	Payment string
	// Number is its series and number, such as RD-0000042.
	Number string
	// IssueDate is the day of issue in Bucharest, such as 2026-11-20.
	IssueDate string
	Currency  string // ISO 4217
	// Gross is in hundredths of the currency, negative for a correction.
	Gross int64
	// Rendered means that its documents exist.
	Rendered bool
	// Transmission is its progress at RO e-Factura, without documents. Until the invoice is rendered, only the state is
	// set.
	Transmission efactura.Transmission
	// DueAt is the time of the next attempt. It is zero if no work is left.
	DueAt time.Time
}

// Backlog is the work that is waiting or needs manual action. It excludes invoices that have been corrected.
type Backlog struct {
	// Payments is the number of payments without an invoice. PaidSince is the time of the oldest one, or zero if there
	// is none.
	Payments  int
	PaidSince time.Time
	// Invoices counts, by state, the invoices that RO e-Factura requires and has not accepted. IssuedOn is the start of
	// the day, in UTC, on which the oldest one was issued, or zero if there is none.
	Invoices map[efactura.State]int
	IssuedOn time.Time
}

// Owed are the states of invoices that RO e-Factura requires and has not accepted.
var Owed = []efactura.State{efactura.Pending, efactura.Processing, efactura.Held, efactura.Failed, efactura.Rejected}

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

	err := b.o.Store.ReopenInvoice(ctx, name, b.o.Now(), func(c Claim) (efactura.Transmission, error) {
		if b.withholds(c.Invoice) {
			return c.Transmission, fmt.Errorf("%w: %w", efactura.ErrNotReopened, errTestInvoice)
		}
		return reopen(c, uploadID)
	})
	if err == nil {
		b.o.Logger.Info("RO e-Factura: an operator reopened an invoice", "invoice", name, "upload", uploadID)
		b.wake(Sending)
	}

	return err
}

// reopen returns the next transmission of an invoice. A newer version of the program may be able to encode an invoice
// that broke a rule before.
func reopen(c Claim, uploadID string) (efactura.Transmission, error) {
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
