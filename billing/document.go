package billing

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/pdf"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/billing/ubl"
	"github.com/rodata/rodata/internal/work"
)

// renderPause is the pause after an error in creating or storing documents.
const renderPause = 5 * time.Minute

func (b *Billing) renderInvoice(ctx context.Context, c store.Claim) {
	err := b.render(ctx, c)
	switch {
	case err == nil:
		b.wake(store.Sending)
		return
	case errors.Is(err, work.ErrLeaseLost):
		return
	}

	b.o.Logger.Error("rendering the documents of an invoice failed", "invoice", c.Invoice.Label(), "tries", c.Tries,
		"again_in", renderPause.String(), "error", err)
	b.write(ctx, "invoice "+c.Invoice.Label(), func(ctx context.Context) error {
		return b.o.Store.PostponeInvoice(ctx, c, b.o.Now().Add(renderPause))
	})
}

// render creates and stores the documents. If an invoice breaks a rule of RO e-Factura, the customer still gets a PDF,
// without XML. Its transmission, if required, is then marked as failed.
func (b *Billing) render(ctx context.Context, c store.Claim) error {
	i := c.Invoice
	xml, err := ubl.Encode(i)
	broken, known := errors.AsType[ubl.Violations](err)
	if err != nil && !known {
		return err
	}

	document, _ := efactura.Describe(i, xml)
	t := efactura.Begin(document, c.State == efactura.Pending)
	if len(broken) > 0 {
		b.o.Logger.Error("an invoice breaks rules of RO e-Factura", "invoice", i.Label(), "error", broken)
		t.Message = broken.Error()
		if t.State == efactura.Pending {
			t.State, t.GivenUp = efactura.Failed, true
		}
	}

	drawn, err := pdf.Render(i, xml)
	if err != nil {
		return err
	}

	return b.o.Store.SaveDocuments(ctx, c, store.Documents{XML: xml, PDF: drawn, Transmission: t})
}
