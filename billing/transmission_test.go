package billing_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
	"github.com/rodata/rodata/testkit/einvoice"
	"github.com/rodata/rodata/testkit/long"
)

// withEFactura opens a house that sends its invoices to a stand-in for RO e-Factura.
func withEFactura(t *testing.T, db *accounts.DB) (*house, *einvoice.Service) {
	t.Helper()
	service := einvoice.Start(t)
	return open(t, db, func(o *billing.Options) { o.EFactura = sending(t, db, service) }), service
}

// sending returns a client of the stand-in for one process. Its token is in the store, shared by all processes.
func sending(t *testing.T, db *accounts.DB, service *einvoice.Service) *efactura.Client {
	t.Helper()
	tokens := efactura.NewSharedTokens(store.New(db), []byte("the secret of the deployment"), einvoice.RefreshToken)
	return testkit.Must(efactura.NewClient(efactura.Options{
		URL: service.URL, TokenURL: service.TokenURL, ClientID: einvoice.ClientID,
		ClientSecret: einvoice.ClientSecret, FiscalCode: einvoice.FiscalCode,
		Tokens: tokens, Timeout: 2 * time.Second,
	}))
}

// awaitState advances the clock until the only invoice reaches a state, and returns the invoice.
func (h *house) awaitState(t *testing.T, want efactura.State) customer.Invoice {
	t.Helper()
	var i customer.Invoice
	testkit.Until(t, "the transmission is in the expected state", func() bool {
		i = h.invoices(t, 1)[0]
		if i.EFacturaStatus != string(want) {
			h.pass(time.Minute)
			h.reopen(t)
		}
		return i.EFacturaStatus == string(want)
	})
	return i
}

func TestInvoiceIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		verdict einvoice.Verdict
		want    efactura.State
	}{
		"accepted":     {einvoice.OK, efactura.Accepted},
		"not in order": {einvoice.NotOK, efactura.Rejected},
		"unacceptable": {einvoice.Unacceptable, efactura.Rejected},
	} {
		t.Run(name, func(t *testing.T) {
			accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
				h, service := withEFactura(t, db)
				service.SetVerdicts(c.verdict)
				_, e := h.stripe.Pay(h.bill(t))
				h.send(t, e)
				i := h.awaitState(t, c.want)
				h.awaitIdle(t, store.Sending) // the signed response is kept as well
				uploads := service.Uploads()
				if len(uploads) != 1 || uploads[0].Endpoint != "uploadb2c" {
					t.Fatalf("%s was uploaded as %+v", i.Number, uploads)
				}
			})
		})
	}
}

// With a test key of Stripe and no seller, an invented seller issues invoices that are marked TEST, in a separate
// series.
func TestInvoiceOfAnInventedSeller(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.options.Seller = nil
		h.reopen(t)
		_, e := h.stripe.Pay(h.bill(t))
		h.send(t, e)
		i := h.invoices(t, 1)[0]
		_, pdf, err := h.store.InvoicePDF(t.Context(), h.account, i.ID)
		if err != nil || i.Number != "TEST-0000001" || i.GrossTotal != 11979 ||
			!bytes.Contains(pdf, []byte("/Subject (\xfe\xff\x00T\x00E\x00S\x00T)")) {
			t.Errorf("got %+v, %v", i, err)
		}
	})
}

// Invoices of a test key never go to the production service of RO e-Factura: not when they are issued, not when
// production is configured later, and not when they are reopened.
func TestTestInvoicesNeverGoToProduction(t *testing.T) {
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
		tokens := efactura.NewSharedTokens(store.New(db), []byte("the secret of the deployment"),
			einvoice.RefreshToken)
		production := testkit.Must(efactura.NewClient(efactura.Options{ // signing in fails there
			TokenURL: "http://127.0.0.1:9", ClientID: einvoice.ClientID, ClientSecret: einvoice.ClientSecret,
			FiscalCode: einvoice.FiscalCode, Tokens: tokens,
		}))
		h, service := withEFactura(t, db)
		service.Inject("upload", "", einvoice.Refusal)
		pay := func() {
			_, e := h.stripe.Pay(h.bill(t))
			h.send(t, e)
		}
		pay() // while the trial service is configured and processing it
		testkit.Until(t, "the invoice is processed", func() bool {
			return h.invoices(t, 1)[0].EFacturaStatus == string(efactura.Processing)
		})
		h.options.EFactura = production
		h.reopen(t)
		pay()
		testkit.Until(t, "both are not required", func() bool {
			h.pass(time.Minute)
			h.reopen(t)
			all := h.invoices(t, 2)
			return all[0].EFacturaStatus == string(efactura.NotRequired) &&
				all[1].EFacturaStatus == string(efactura.NotRequired)
		})
		for _, i := range h.invoices(t, 2) {
			if err := h.Retry(t.Context(), i.Number, ""); !errors.Is(err, efactura.ErrNotReopened) ||
				!strings.Contains(err.Error(), "test invoice") {
				t.Errorf("retrying %s: %v", i.Number, err)
			}
		}
	})
}

// An invoice is uploaded once, even if the response is lost or the process dies.
func TestOneUpload(t *testing.T) {
	h, service := withEFactura(t, accountstore.Open(t))
	service.Inject("upload", einvoice.Lost)
	_, e := h.stripe.Pay(h.bill(t))
	h.send(t, e)
	h.awaitState(t, efactura.Accepted)
	testkit.Equal(t, len(service.Uploads()), 1, "uploads of the invoice")
}

// An upload that may have arrived is repeated only after a person has decided so. The operator sees the reason. The
// customer sees that the invoice failed.
func TestHeldUntilAPersonLooks(t *testing.T) {
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
		h, service := withEFactura(t, db)
		service.Inject("upload", einvoice.Reset)
		_, e := h.stripe.Pay(h.bill(t))
		h.send(t, e)
		i := h.heldInvoice(t)
		if n := service.Requests("upload"); n != 1 || i.Transmission.Message == "" || !i.DueAt.IsZero() {
			t.Errorf("%d uploads, %+v", n, i)
		}
		testkit.Equal(t, h.invoices(t, 1)[0].EFacturaStatus, string(efactura.Failed),
			"the state that the customer sees")
		testkit.ErrorIs(t, h.Retry(t.Context(), "RD-0000001", "not a number"), efactura.ErrNotReopened,
			"with a wrong id")
		testkit.NoError(t, h.Retry(t.Context(), i.ID, ""))

		h.awaitState(t, efactura.Accepted)
		testkit.Equal(t, len(service.Uploads()), 1, "arrived invoices")

		for name, want := range map[string]error{"RD-0000001": efactura.ErrNotReopened,
			"RD-0000002": customer.ErrNoInvoice} {
			testkit.ErrorIs(t, h.Retry(t.Context(), name, ""), want, name)
		}
	})
}

// heldInvoice waits until the one invoice is held after a lost upload.
func (h *house) heldInvoice(t *testing.T) store.InvoiceSummary {
	t.Helper()
	var i store.InvoiceSummary
	testkit.Until(t, "the upload was tried", func() bool { // the upload has been tried
		var err error
		i, err = h.store.InvoiceByName(t.Context(), "RD-0000001")
		return err == nil && i.Transmission.Attempts > 0
	})
	h.Close()
	h.backdate(t, i.ID, 25*time.Hour)
	h.pass(2 * time.Hour)
	h.reopen(t)
	testkit.Until(t, "the invoice is held", func() bool {
		var err error
		i, err = h.store.InvoiceByName(t.Context(), i.ID)
		return err == nil && i.Transmission.State == efactura.Held
	})
	return i
}

// backdate makes an upload appear to have begun earlier.
func (h *house) backdate(t *testing.T, id string, by time.Duration) {
	t.Helper()
	h.pass(2 * time.Hour) // when any remaining work is due
	claimed, err := h.store.ClaimInvoices(t.Context(), store.Sending, h.now(), h.now().Add(time.Minute), 1)
	if err != nil || len(claimed) != 1 || claimed[0].ID != id {
		t.Fatalf("claimed %v, %v", claimed, err)
	}

	was := claimed[0].Transmission
	was.UploadBegun = was.UploadBegun.Add(-by)
	testkit.NoError(t, h.store.SaveTransmission(t.Context(), claimed[0], was, h.now()))
}

// A rejected invoice can be sent again, and the first response is kept.
func TestRejectedIsSentAgain(t *testing.T) {
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
		h, service := withEFactura(t, db)
		service.SetVerdicts(einvoice.NotOK)
		_, e := h.stripe.Pay(h.bill(t))
		h.send(t, e)
		h.awaitState(t, efactura.Rejected)
		h.awaitIdle(t, store.Sending) // its archive is there
		// The second retry arrives while the first is in progress.
		for _, want := range []error{nil, efactura.ErrNotReopened} {
			testkit.ErrorIs(t, h.Retry(t.Context(), "RD-0000001", ""), want)
		}

		h.awaitState(t, efactura.Accepted)
		h.awaitIdle(t, store.Sending)
		testkit.Equal(t, len(service.Uploads()), 2, "uploads")
	})
}

// An invoice issued while RO e-Factura was off is sent when an operator reopens it.
func TestSentAfterAll(t *testing.T) {
	db := accountstore.Open(t)
	h, service := withEFactura(t, db)
	on := h.options.EFactura
	h.options.EFactura = nil
	h.reopen(t)
	_, e := h.stripe.Pay(h.bill(t))
	h.send(t, e)
	h.awaitState(t, efactura.NotRequired)
	testkit.ErrorIs(t, h.Retry(t.Context(), "RD-0000001", ""), billing.ErrNoEFactura, "while RO e-Factura is off")

	h.options.EFactura = on
	h.reopen(t)
	testkit.NoError(t, h.Retry(t.Context(), "RD-0000001", ""))

	h.awaitState(t, efactura.Accepted)
	testkit.Equal(t, len(service.Uploads()), 1, "uploads")
}

// Several processes on one store send each invoice once, and share one token.
func TestProcessesSendTogetherLong(t *testing.T) {
	invoices := long.Length(t, 8, 20)
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
		h, service := withEFactura(t, db)
		service.SetPolls(0)
		for range 2 {
			o := h.options
			o.EFactura = sending(t, db, service)
			b := testkit.Must(billing.Open(o))
			t.Cleanup(func() { b.Close() })
		}

		bill := h.bill(t)
		for range invoices {
			_, e := h.stripe.Pay(bill)
			h.send(t, e)
		}

		testkit.Until(t, "all are accepted", func() bool {
			h.pass(10 * time.Second)
			h.reopen(t)
			return len(service.Uploads()) == invoices &&
				!slices.ContainsFunc(h.issuedInvoices(t, invoices), func(i customer.Invoice) bool {
					return i.EFacturaStatus != string(efactura.Accepted)
				})
		})
		testkit.Equal(t, service.Requests("upload"), invoices, "uploads of invoices")
		testkit.Equal(t, service.Requests("token"), 1, "renewals of the token")
	})
}

func TestCustomerAbroadIsNotForEFactura(t *testing.T) {
	h, service := withEFactura(t, accountstore.Open(t))
	bill := h.bill(t)
	bill.Country, bill.Currency = "US", "eur"
	_, e := h.stripe.Pay(bill)
	h.send(t, e)
	if i := h.invoices(t, 1)[0]; i.EFacturaStatus != string(efactura.NotRequired) || service.Requests("upload") != 0 {
		t.Errorf("got %+v", i)
	}
}
