package billing_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/stripeserver"
)

func TestPaymentIsInvoiced(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		_, e := h.stripe.Pay(h.bill(t))
		for range 20 { // the event takes effect only once
			h.send(t, e)
		}

		i := h.invoices(t, 1)[0]
		want := customer.Invoice{
			ID: i.ID, Number: "RD-0000001", IssueDate: i.IssueDate, Currency: "RON", NetTotal: 9900, VATTotal: 2079,
			GrossTotal:     11979,
			EFacturaStatus: "not_required", PDFReady: true,
		}
		testkit.Equal(t, i, want)

		number, pdf, err := h.store.InvoicePDF(t.Context(), h.account, i.ID)
		if err != nil || number != i.Number || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("the PDF of %s: %.10q, %v", number, pdf, err)
		}
		if _, _, err := h.store.InvoicePDF(t.Context(), h.newAccount(t), i.ID); !errors.Is(err, customer.ErrNoInvoice) {
			t.Errorf("another account can read the invoice: %v", err)
		}
	})
}

// The customer and the day determine the VAT, and the invoice total equals the payment.
func TestInvoiceOfEachSortOfCustomer(t *testing.T) {
	summer := time.Date(2025, 7, 31, 20, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		change          func(*stripeserver.Bill)
		currency        string
		net, vat, gross int64
	}{
		"before August 2025": {func(b *stripeserver.Bill) { b.At, b.Tax = summer, 1881 }, "RON", 9900, 1881, 11781},
		"after it, in Romania": {func(b *stripeserver.Bill) { b.At = summer.Add(2 * time.Hour) }, "RON", 9900, 2079,
			11979},
		"in euro, in Romania": {func(b *stripeserver.Bill) { b.Currency, b.Amount, b.Tax = "eur", 1900, 399 }, "EUR",
			1900, 399, 2299},
		"VAT in the price": {func(b *stripeserver.Bill) { b.Amount, b.Tax = 9900, 0 }, "RON", 8182, 1718, 9900},
		"business in the Union": {func(b *stripeserver.Bill) {
			b.Country, b.Currency, b.Amount, b.Tax, b.VATID, b.Verified = "DE", "eur", 1900, 0, "DE999999999", true
		}, "EUR", 1900, 0, 1900},
		"not verified": {func(b *stripeserver.Bill) {
			b.Country, b.Currency, b.Amount, b.Tax, b.VATID = "DE", "eur", 1900, 399, "DE999999999"
		}, "EUR", 1900, 399, 2299},
		"consumer in the Union": {func(b *stripeserver.Bill) {
			b.Country, b.Currency, b.Amount, b.Tax = "FR", "eur", 1900,
				399
		}, "EUR", 1900, 399, 2299},
		"outside it": {func(b *stripeserver.Bill) {
			b.Country, b.Currency, b.Amount, b.Tax = "US", "eur", 1900,
				0
		}, "EUR", 1900, 0, 1900},
	} {
		t.Run(name, func(t *testing.T) {
			h := one(t)
			bill := h.bill(t)
			c.change(&bill)
			_, e := h.stripe.Pay(bill)
			h.send(t, e)
			if i := h.invoices(t, 1)[0]; i.NetTotal != c.net || i.VATTotal != c.vat || i.GrossTotal != c.gross ||
				i.Currency != c.currency {
				t.Errorf("got %+v", i)
			}
		})
	}
}

// A resident who paid in euro gets an invoice with the VAT in lei, and the log and the list of payments have a warning.
func TestForeignCurrencyInRomaniaIsWarnedOf(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		log := new(logged)
		h.options.Logger = slog.New(slog.NewTextHandler(log, nil))
		h.reopen(t)
		bill := h.bill(t)
		bill.Currency = "eur"
		id, e := h.stripe.Pay(bill)
		h.send(t, e)
		testkit.Equal(t, h.invoices(t, 1)[0].Currency, "EUR")

		warned := func(since time.Time) []store.Payment {
			t.Helper()
			return testkit.Must(h.store.WarnedPayments(t.Context(), since, 9))
		}
		const warning = "a customer in Romania paid in EUR"
		if all := warned(h.now().Add(-time.Hour)); len(all) != 1 || all[0].ID != id ||
			!strings.Contains(all[0].Problem, warning) || !all[0].Lease.IsZero() {
			t.Errorf("the payments with warnings are %+v", all)
		}
		testkit.Equal(t, len(warned(h.now().Add(time.Hour))), 0, "payments with warnings later")
		testkit.Equal(t, len(testkit.Must(h.store.WaitingPayments(t.Context(), 9))), 0, "waiting payments")

		testkit.Until(t, "the warning is logged", func() bool {
			return strings.Contains(log.String(), warning) && strings.Contains(log.String(), "level=WARN")
		})
	})
}

// logged is a log that is safe for concurrent reads and writes.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Invoice numbers have no gaps, even with concurrent payments and several workers.
func TestNumbersAreConsecutiveLong(t *testing.T) {
	payments := long.Length(t, 30, 100)
	each(t, func(t *testing.T, h *house) {
		for range 2 { // more workers on the same store
			b := testkit.Must(billing.Open(h.options))
			t.Cleanup(func() { b.Close() })
		}

		bill := h.bill(t)
		var wg sync.WaitGroup
		for range payments {
			wg.Go(func() {
				_, e := h.stripe.Pay(bill)
				for range 2 {
					if err := h.Receive(t.Context(), e.Payload, e.Signature); err != nil {
						t.Error(err)
					}
				}
			})
		}

		wg.Wait()
		h.pass(time.Minute) // so that work without an event is due as well
		var numbers []string
		for _, i := range h.issuedInvoices(t, payments) {
			numbers = append(numbers, i.Number)
		}

		slices.Sort(numbers)
		for n, number := range numbers {
			if want := fmt.Sprintf("RD-%07d", n+1); number != want {
				t.Fatalf("number %d is %s", n+1, number)
			}
		}
	})
}

// A refund is invoiced by a correction, and a new invoice for the remainder.
func TestRefunds(t *testing.T) {
	type refund struct {
		inAll    int64
		invoices int // then
	}
	for name, c := range map[string]struct {
		refunds []refund
		gross   []int64 // of the invoices
	}{
		"of all":    {[]refund{{11979, 2}}, []int64{11979, -11979}},
		"of a part": {[]refund{{1979, 3}}, []int64{11979, -11979, 10000}},
		"of part after part": {[]refund{{1979, 3}, {2979, 5}, {11979, 6}},
			[]int64{11979, -11979, 10000, -10000, 9000, -9000}},
		"that failed": {[]refund{{11979, 2}, {0, 3}}, []int64{11979, -11979, 11979}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, h *house) {
				id, e := h.stripe.Pay(h.bill(t))
				h.send(t, e)
				h.invoices(t, 1)
				for _, r := range c.refunds {
					e := h.stripe.Refund(id, r.inAll)
					for range 3 {
						h.send(t, e)
					}

					h.invoices(t, r.invoices)
				}

				var gross []int64
				for _, i := range h.invoices(t, len(c.gross)) {
					gross = append(gross, i.GrossTotal)
					testkit.Equal(t, i.NetTotal+i.VATTotal, i.GrossTotal, "%s: %d + %d is not", i.Number, i.NetTotal,
						i.VATTotal)
				}

				testkit.Equal(t, gross, c.gross, "the gross totals of the invoices")
			})
		})
	}
}

// A payment that cannot be invoiced yet waits and is not lost.
func TestPaymentWaits(t *testing.T) {
	noRates := rates{errors.New("the bank does not answer")}
	for name, lack := range map[string]func(*billing.Options){
		"for the seller": func(o *billing.Options) {
			o.Seller, o.Stripe = nil,
				connect(t, "http://127.0.0.1:9", "sk_live_closed")
		},
		"for Stripe":     func(o *billing.Options) { o.Stripe = nil },
		"for the fixing": func(o *billing.Options) { o.Exchange = noRates },
	} {
		t.Run(name, func(t *testing.T) {
			h := one(t)
			bill := h.bill(t)
			bill.Country, bill.Currency = "US", "eur"
			id, _ := h.stripe.Pay(bill)
			complete := h.options
			lack(&h.options)
			h.reopen(t)
			testkit.NoError(t, h.store.NotePayment(t.Context(), "", store.Payment{ID: id, Account: h.account},
				h.now()))

			h.reopen(t) // it checks at once
			testkit.Equal(t, len(testkit.Must(h.store.Invoices(t.Context(), h.account))), 0)

			h.options = complete
			h.Close()
			h.pass(2 * time.Hour)
			h.reopen(t)
			h.invoices(t, 1)
		})
	}
}

// A free month is not invoiced.
func TestNothingToInvoice(t *testing.T) {
	h := one(t)
	bill := h.bill(t)
	bill.Amount, bill.Tax = 0, 0
	_, e := h.stripe.Pay(bill)
	h.send(t, e)
	h.awaitIdle(t, store.Payments)
	testkit.Equal(t, len(testkit.Must(h.store.Invoices(t.Context(), h.account))), 0)
}
