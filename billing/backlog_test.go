package billing_test

import (
	"maps"
	"testing"
	"time"

	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
	"github.com/rodata/rodata/testkit/einvoice"
)

// backlog reads the backlog of the store.
func (h *house) backlog(t *testing.T) store.Backlog {
	t.Helper()
	return testkit.Must(h.store.Backlog(t.Context()))
}

// A payment is in the backlog until it is invoiced. Its invoice is in the backlog until RO e-Factura has accepted it or
// it is corrected.
func TestBacklog(t *testing.T) {
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
		h, service := withEFactura(t, db)
		if b := h.backlog(t); b.Payments != 0 || !b.PaidSince.IsZero() || len(b.Invoices) != 0 || !b.IssuedOn.IsZero() {
			t.Errorf("at first: %+v", b)
		}

		bill, stripe := h.bill(t), h.options.Stripe
		h.options.Stripe = nil // so that invoicing is impossible
		h.reopen(t)
		id, _ := h.stripe.Pay(bill)
		testkit.NoError(t, h.store.NotePayment(t.Context(), "", store.Payment{ID: id, Account: h.account},
			h.now()))
		if b := h.backlog(t); b.Payments != 1 || time.Since(b.PaidSince).Abs() > time.Minute || len(b.Invoices) != 0 {
			t.Errorf("paid: %+v", b)
		}

		waiting, err := h.store.WaitingPayments(t.Context(), 10)
		if err != nil || len(waiting) != 1 || waiting[0].ID != id || waiting[0].Account != h.account {
			t.Errorf("waiting: %+v, %v", waiting, err)
		}

		service.Inject("upload", einvoice.Refusal, "", einvoice.Refusal)
		h.options.Stripe = stripe
		h.reopen(t)
		h.awaitState(t, efactura.Rejected)
		today := h.now().Truncate(24 * time.Hour)
		want := map[efactura.State]int{efactura.Rejected: 1}
		if b := h.backlog(t); b.Payments != 0 || !maps.Equal(b.Invoices, want) ||
			b.IssuedOn.Sub(today).Abs() > 24*time.Hour {
			t.Errorf("rejected: %+v", b)
		}

		h.send(t, h.stripe.Refund(id, 11979))
		all := h.invoices(t, 2)
		testkit.Until(t, "the backlog is right", func() bool {
			b := h.backlog(t)
			if len(b.Invoices) == 0 {
				return b.IssuedOn.IsZero() // the rejected invoice is corrected, and its correction accepted
			}

			h.pass(time.Minute)
			h.reopen(t)
			return false
		})
		if correction, err := h.store.InvoiceByName(t.Context(), all[1].ID); err != nil ||
			correction.Transmission.State != efactura.Accepted || correction.Payment != id {
			t.Errorf("the correction is %+v, %v", correction, err)
		}
	})
}

// If two operators reopen an invoice concurrently, one gets a conflict.
func TestReopenedOnce(t *testing.T) {
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
		h, service := withEFactura(t, db)
		service.Inject("upload", einvoice.Refusal)
		_, e := h.stripe.Pay(h.bill(t))
		h.send(t, e)
		number := h.awaitState(t, efactura.Rejected).Number
		h.Close()
		reopen := func(meanwhile func()) error {
			return h.store.ReopenInvoice(t.Context(), number, h.now(),
				func(c store.Claim) (efactura.Transmission, error) {
					meanwhile()
					return c.Transmission.Reopen("")
				})
		}
		err := reopen(func() {
			if err := reopen(func() {}); err != nil {
				t.Error(err)
			}
		})
		testkit.ErrorIs(t, err, store.ErrConflict, "the second operator")
	})
}

// Invoices are listed in the order in which they were issued, page by page and by
// state.
func TestAllInvoices(t *testing.T) {
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
		h := open(t, db, nil)
		bill := h.bill(t)
		for range 3 {
			_, e := h.stripe.Pay(bill)
			h.send(t, e)
		}

		h.invoices(t, 3)
		list := func(state efactura.State, after string, limit int) (numbers []string, last string) {
			t.Helper()
			kept := testkit.Must(h.store.AllInvoices(t.Context(), state, after, limit))

			for _, k := range kept {
				numbers, last = append(numbers, k.Number), k.ID
				if k.Account != h.account || k.Gross != 11979 || k.Currency != "RON" || !k.Rendered {
					t.Errorf("got %+v", k)
				}
			}

			return numbers, last
		}
		first, last := list("", "", 2)
		rest, _ := list("", last, 2)
		if len(first) != 2 || len(rest) != 1 || first[0] != "RD-0000001" || first[1] != "RD-0000002" ||
			rest[0] != "RD-0000003" {
			t.Errorf("got %v and %v", first, rest)
		}
		if got, _ := list(efactura.NotRequired, "", 9); len(got) != 3 {
			t.Errorf("not required are %v", got)
		}
		if got, _ := list(efactura.Held, "", 9); len(got) != 0 {
			t.Errorf("held are %v", got)
		}
	})
}
