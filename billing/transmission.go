package billing

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/internal/work"
)

// sendInvoice advances the transmission of a claimed invoice until it has to wait. It stores each step before the next
// one, even while billing is being closed, because an upload must not be lost.
func (b *Billing) sendInvoice(ctx context.Context, c store.Claim) {
	if b.withholds(c.Invoice) { // it was issued before production was configured
		t := c.Transmission
		t.State, t.Message = efactura.NotRequired, errTestInvoice.Error()
		b.save(ctx, c, t, time.Time{})
		return
	}

	for {
		t, wait, failure := b.sender.Next(ctx, c.Transmission,
			func(ctx context.Context, t efactura.Transmission) error {
				return b.o.Store.SaveTransmission(ctx, c, t, time.Time{})
			})
		if errors.Is(failure, work.ErrLeaseLost) {
			return
		}
		if failure != nil {
			b.o.Logger.Warn("sending an invoice to RO e-Factura failed", "invoice", c.Invoice.Label(), "state",
				string(t.State), "again_in", wait.String(), "error", failure)
		}

		var due time.Time
		if wait > 0 {
			due = b.o.Now().Add(wait)
		}
		if !b.save(ctx, c, t, due) {
			return
		}
		if t.State != c.Transmission.State {
			b.report(c, t)
		}
		if c.Transmission = t; t.IsDone() || wait > 0 {
			return
		}
	}
}

func (b *Billing) save(ctx context.Context, c store.Claim, t efactura.Transmission, due time.Time) (ok bool) {
	return b.write(ctx, "invoice "+c.Invoice.Label(),
		func(ctx context.Context) error { return b.o.Store.SaveTransmission(ctx, c, t, due) })
}

var errTestInvoice = errors.New("it is a test invoice, which is never sent to RO e-Factura's production")

// report logs a new state; some need manual action.
func (b *Billing) report(c store.Claim, t efactura.Transmission) {
	attributes := []any{"invoice", c.Invoice.Label(), "state", string(t.State), "message", t.Message}
	if t.State == efactura.Rejected || t.State == efactura.Failed || t.State == efactura.Held {
		b.o.Logger.Error("RO e-Factura: an invoice needs manual review", attributes...)
		return
	}

	b.o.Logger.Info("RO e-Factura: an invoice changed its state", attributes...)
}
