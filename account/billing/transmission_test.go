package billing_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/billing"
	"github.com/rodata/rodata/account/invoice/efactura"
	"github.com/rodata/rodata/account/invoice/efacturatest"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/account/store/storetest"
)

// withEFactura is a house that sends its invoices to a stand-in of RO e-Factura.
func withEFactura(t *testing.T, db *store.DB) (*house, *efacturatest.Service) {
	t.Helper()
	service, err := efacturatest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	client, err := efactura.NewClient(efactura.Options{
		URL: service.URL, TokenURL: service.TokenURL, ClientID: efacturatest.ClientID, ClientSecret: efacturatest.ClientSecret, FiscalCode: efacturatest.FiscalCode,
		Tokens: &efactura.TokenFile{Path: filepath.Join(t.TempDir(), "token.json"), RefreshToken: efacturatest.RefreshToken}, Timeout: 2 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return open(t, db, func(o *billing.Options) { o.EFactura = client }), service
}

// awaitState waits until the one invoice is in a state, while time passes.
func (h *house) awaitState(t *testing.T, want efactura.State) account.Invoice {
	t.Helper()
	var i account.Invoice
	await(t, func() bool {
		i = h.invoices(t, 1)[0]
		if i.Transmission != string(want) {
			h.pass(time.Minute)
			h.reopen(t)
		}
		return i.Transmission == string(want)
	})
	return i
}

func TestInvoiceIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		verdict efacturatest.Verdict
		want    efactura.State
	}{
		"accepted":     {efacturatest.OK, efactura.Accepted},
		"not in order": {efacturatest.NotOK, efactura.Rejected},
		"unacceptable": {efacturatest.Unacceptable, efactura.Rejected},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				h, service := withEFactura(t, db)
				service.Judge(c.verdict)
				_, e := h.stripe.Pay(h.bill(t))
				h.send(t, e)
				i := h.awaitState(t, c.want)
				await(t, func() bool { // the signed answer is kept as well
					due, err := db.NextDue(t.Context(), billing.Sending)
					return err == nil && due.IsZero()
				})
				uploads := service.Uploads()
				if len(uploads) != 1 || uploads[0].Endpoint != "uploadb2c" {
					t.Fatalf("%s was uploaded as %+v", i.Number, uploads)
				}
			})
		})
	}
}

// Whatever becomes of the answer to an upload, and of the process: there is one.
func TestOneUpload(t *testing.T) {
	h, service := withEFactura(t, storetest.Open(t))
	service.Spoil("upload", efacturatest.Lost)
	_, e := h.stripe.Pay(h.bill(t))
	h.send(t, e)
	h.awaitState(t, efactura.Accepted)
	if n := len(service.Uploads()); n != 1 {
		t.Errorf("it was uploaded %d times", n)
	}
}

func TestCustomerAbroadIsNotForEFactura(t *testing.T) {
	h, service := withEFactura(t, storetest.Open(t))
	bill := h.bill(t)
	bill.Country, bill.Currency = "US", "eur"
	_, e := h.stripe.Pay(bill)
	h.send(t, e)
	if i := h.invoices(t, 1)[0]; i.Transmission != string(efactura.NotRequired) || service.Requests("upload") != 0 {
		t.Errorf("got %+v", i)
	}
}
