package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/ubl"
)

// Kept is an invoice as its operator sees it.
type Kept struct {
	ID, Account string
	// Payment is how Stripe calls the invoice that was paid.
	Payment string
	// Number is its series and number, as RD-0000042.
	Number string
	// IssueDate is its day in Bucharest, as 2026-11-20.
	IssueDate string
	Currency  string // ISO 4217
	// Gross is in hundredths of the currency, negative for a correction.
	Gross int64
	// Rendered says that its documents are there.
	Rendered bool
	// Transmission is how far it has come, without documents; zero but for its state
	// until the invoice is rendered.
	Transmission efactura.Transmission
	// DueAt is when it is worked on next; zero for not any more.
	DueAt time.Time
}

// Backlog is what has yet to be done, or to be looked at by a person. An invoice that
// a correction has taken back is not in it.
type Backlog struct {
	// Payments is how many wait for their invoices, and PaidSince since when the first
	// one of them; zero for none.
	Payments  int
	PaidSince time.Time
	// Invoices are those that RO e-Factura wants and has not accepted, by state, and
	// IssuedOn the beginning of the day of the first one, in UTC; zero for none.
	Invoices map[efactura.State]int
	IssuedOn time.Time
}

// Owed are the states of invoices that RO e-Factura wants and has not accepted.
var Owed = []efactura.State{efactura.Pending, efactura.Processing, efactura.Held, efactura.Failed, efactura.Rejected}

// EFacturaTrouble is why the token for RO e-Factura could not be renewed; nil when it
// could, or nothing is sent there.
func (b *Billing) EFacturaTrouble() error {
	if b.o.EFactura == nil {
		return nil
	}
	return b.o.EFactura.SignInTrouble()
}

// ErrNoEFactura: nothing is sent to RO e-Factura.
var ErrNoEFactura = errors.New("efactura is off: turn it on first")

// Retry has an invoice, by its id or number, sent to RO e-Factura after all, as a
// person has decided who has looked at it: see efactura.Transmission.Reopen, also for
// the id of an upload, which may be empty. One that was not required when it was
// issued is sent if it is now. The error wraps api.ErrNoInvoice, ErrNoEFactura,
// efactura.ErrNotReopened or account.ErrStoreDown.
func (b *Billing) Retry(ctx context.Context, name, uploadID string) error {
	if b.sender == nil {
		return ErrNoEFactura
	}
	err := b.o.Store.ReopenInvoice(ctx, name, b.o.Now(), func(c Claimed) (efactura.Transmission, error) {
		if b.withholds(c.Invoice) {
			return c.Transmission, fmt.Errorf("%w: %w", efactura.ErrNotReopened, errTestInvoice)
		}
		return reopen(c, uploadID)
	})
	if err == nil {
		b.o.Logger.Info("RO e-Factura: an operator has this tried again", "invoice", name, "upload", uploadID)
		b.wake(Sending)
	}
	return err
}

// reopen is how the transmission of an invoice goes on. What broke a rule when it was
// rendered may be understood by a newer program.
func reopen(c Claimed, uploadID string) (efactura.Transmission, error) {
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
		t.State, t.GivenUp = efactura.Failed, true // as if it had been given up before it was uploaded
	}
	return t.Reopen(uploadID)
}
