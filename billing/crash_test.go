package billing_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/einvoice"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/process"
	"github.com/rodata/rodata/testkit/stripeserver"
)

func crashes(t *testing.T) int {
	t.Helper()
	return long.Length(t, 4, 15)
}

// payers returns the number of customers that pay while the process crashes.
func payers(t *testing.T) int {
	t.Helper()
	return long.Length(t, 12, 48)
}

// The environment variables with the parameters of a test process.
const (
	crashPlace  = "RODATA_TEST_BILLING_PLACE"
	crashStripe = "RODATA_TEST_BILLING_STRIPE"
	crashTax    = "RODATA_TEST_BILLING_EFACTURA" // the addresses of the service and of its token endpoint
)

// A process is killed repeatedly while customers pay. It loses no invoice, issues none twice, leaves none incomplete,
// and uploads none twice. On SQLite its leases are released at once.
func TestCrashLong(t *testing.T) {
	if place := os.Getenv(crashPlace); place != "" {
		serveUntilKilled(t, place)
		return
	}
	if testing.Short() {
		t.Skip("starts processes and kills them, which takes too long for -short")
	}

	databases.Places(t, "accounts.db", surviveCrashes)
}

func surviveCrashes(t *testing.T, place string) {
	db := openPlace(t, place)
	h := open(t, db, nil)
	bill := h.bill(t)
	tax := einvoice.Start(t)
	t.Setenv(crashTax, tax.URL+" "+tax.TokenURL)
	testkit.NoError(t, sending(t, db, tax).SignIn(t.Context()))

	h.Close()
	db.Close()

	var events []stripeserver.Event
	for range payers(t) {
		_, e := h.stripe.Pay(bill)
		events = append(events, e)
	}

	var address atomic.Pointer[string]
	delivering, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	var senders sync.WaitGroup
	for part := range slices.Chunk(events, payers(t)/6) {
		senders.Go(func() { deliver(delivering, &address, part) })
	}

	for n := range crashes(t) {
		// The upload is accepted, and the process dies before the response arrives.
		tax.Inject("upload", "", "", einvoice.LostSlowly)
		child, at := start(t, place, h.stripe.URL)
		address.Store(&at)
		<-time.After(time.Duration(20+10*n) * time.Millisecond)
		child.Kill()
	}

	tax.ClearFaults()
	child, at := start(t, place, h.stripe.URL)
	address.Store(&at)
	senders.Wait()
	child.Kill()

	h.db = openPlace(t, place)
	h.store = store.New(h.db)
	h.options.Accounts, h.options.Store, h.options.EFactura = h.db, h.store, sending(t, h.db, tax)
	if !filepath.IsAbs(place) {
		h.pass(time.Hour) // past the leases of dead processes, which others release only after a grace period
	}

	b := testkit.Must(billing.Open(h.options))
	defer b.Close()

	h.audit(t)
	h.auditUploads(t, tax)
}

// audit verifies that each payment has one complete invoice.
func (h *house) audit(t *testing.T) {
	all := h.invoices(t, payers(t))
	for n, i := range all {
		if want := fmt.Sprintf("RD-%07d", n+1); i.Number != want || i.GrossTotal != 11979 {
			t.Errorf("invoice %d is %+v", n+1, i)
		}
		if _, pdf, err := h.store.InvoicePDF(t.Context(), h.account, i.ID); err != nil ||
			!bytes.HasSuffix(bytes.TrimSpace(pdf), []byte("%%EOF")) {
			t.Errorf("the PDF of %s: %v", i.Number, err)
		}
	}
}

// auditUploads verifies that each invoice was uploaded once. Exceptions are invoices whose upload a kill interrupted:
// billing searches for those uploads instead of repeating them.
func (h *house) auditUploads(t *testing.T, tax *einvoice.Service) {
	lost, paid := 0, payers(t)
	testkit.Until(t, "the invoices are sent", func() bool {
		all, err := h.store.AllInvoices(t.Context(), "", "", paid+1)
		if err != nil || len(all) != paid {
			t.Fatalf("%d invoices, %v", len(all), err)
		}

		lost = 0
		for _, i := range all {
			if i.Transmission.State == efactura.Pending {
				lost++
			}
			if i.Transmission.State == efactura.Pending && i.Transmission.Attempts == 0 {
				return false
			}
		}

		return true
	})
	uploads := make(map[string]bool)
	for _, u := range tax.Uploads() {
		if uploads[string(u.XML)] {
			t.Errorf("a second upload of %.400s", u.XML)
		}
		uploads[string(u.XML)] = true
	}

	if len(uploads) < paid-lost || lost > crashes(t)+1 {
		t.Errorf("%d of %d invoices were uploaded, and %d may have been", len(uploads), paid, lost)
	}
}

// deliver sends events like Stripe does: each until it is accepted.
func deliver(ctx context.Context, address *atomic.Pointer[string], events []stripeserver.Event) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for _, e := range events {
		for !post(ctx, address.Load(), e) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}
}

func post(ctx context.Context, address *string, e stripeserver.Event) bool {
	if address == nil {
		return false
	}

	r, err := http.NewRequestWithContext(ctx, "POST", *address, bytes.NewReader(e.Payload))
	if err != nil {
		return false
	}

	r.Header.Set("Stripe-Signature", e.Signature)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer res.Body.Close()

	return res.StatusCode == http.StatusNoContent
}

// start starts a process that accepts events at an address, which it prints.
func start(t *testing.T, place, stripe string) (p *process.Process, address string) {
	t.Helper()
	return process.StartUntilLine(t, process.Test(t, "TestCrashLong", crashPlace+"="+place, crashStripe+"="+stripe),
		"listens on ")
}

func serveUntilKilled(t *testing.T, place string) {
	db := openPlace(t, place)
	h := &house{db: db, store: store.New(db)}
	h.options = options(t, h, os.Getenv(crashStripe))
	service := new(einvoice.Service)
	fmt.Sscan(os.Getenv(crashTax), &service.URL, &service.TokenURL)
	h.options.EFactura = sending(t, h.db, service)
	h.reopen(t)
	listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Printf("listens on http://%s/\n", listener.Addr())
	http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		payload, err := io.ReadAll(r.Body)
		if err == nil {
			err = h.Receive(r.Context(), payload, r.Header.Get("Stripe-Signature"))
		}
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}

		w.WriteHeader(http.StatusNoContent)
	}))
}

// openPlace opens a file or the database of a URL.
func openPlace(t *testing.T, place string) *accounts.DB {
	t.Helper()
	return databases.Open(t, place, accounts.Open)
}
