package billing_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
	"github.com/rodata/rodata/testkit/invoices"
	"github.com/rodata/rodata/testkit/stripeserver"
)

// The plans of the tests: a free one, and two that are sold.
const (
	starterPrice = "price_starter"
	proPrice     = "price_pro"
)

// rates are exchange rates for the euro only.
type rates struct{ err error }

func (r rates) Lei(_ context.Context, currency string, day invoice.Date) (invoice.Exchange, error) {
	if currency != "EUR" {
		return invoice.Exchange{}, errors.New("no such currency")
	}
	return invoice.Exchange{Rate: "5.0900", Date: invoice.DateOf(day.Time().AddDate(0, 0, -1))}, r.err
}

// house is billing over a store with one account, and a stand-in for Stripe.
type house struct {
	*billing.Billing
	options billing.Options
	db      *accounts.DB
	store   *store.Store
	stripe  *stripeserver.Stripe
	account string
	ahead   atomic.Int64 // offset of its clock
}

// open opens a house over a store.
func open(t testing.TB, db *accounts.DB, change func(*billing.Options)) *house {
	t.Helper()
	stripe := stripeserver.Start(t)
	h := &house{db: db, store: store.New(db), stripe: stripe}
	h.account = h.newAccount(t)
	h.options = options(t, h, stripe.URL)
	if change != nil {
		change(&h.options)
	}

	h.reopen(t)
	return h
}

// options returns the options of a house, with Stripe at an address.
func options(t testing.TB, h *house, url string) billing.Options {
	t.Helper()
	seller := invoices.Draft().Seller
	return billing.Options{
		Accounts: h.db, Store: h.store, Stripe: connect(t, url, stripeserver.Key), WebhookSecret: stripeserver.Secret,
		Products: []billing.Product{
			{Plan: "starter", Name: "Starter", Price: starterPrice, CentsMonthly: 1900, Sold: true},
			{Plan: "pro", Name: "Pro", Price: proPrice, CentsMonthly: 7900, Sold: true},
			{Plan: "old", Name: "Old", Price: "price_old"},
		},
		DefaultPlan: "free", ReturnURL: "https://rodata.example/dashboard", AutomaticTax: true,
		Seller: &seller, Exchange: rates{}, Now: h.now, Logger: slog.New(slog.DiscardHandler),
	}
}

// each runs a test in a house over every kind of store.
func each(t *testing.T, test func(t *testing.T, h *house)) {
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) { test(t, open(t, db, nil)) })
}

// one returns a house over SQLite.
func one(t testing.TB) *house { return open(t, accountstore.Open(t), nil) }

// reopen opens billing, as in a restart. It first closes billing if it is open.
func (h *house) reopen(t testing.TB) {
	t.Helper()
	if h.Billing != nil {
		h.Close()
	}

	b := testkit.Must(billing.Open(h.options))
	h.Billing = b
	t.Cleanup(func() { b.Close() })
}

func connect(t testing.TB, url, key string) *billing.Stripe {
	t.Helper()
	return testkit.Must(billing.NewStripe(billing.StripeOptions{Key: key, URL: url}))
}

func (h *house) now() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

// pass advances the house's clock.
func (h *house) pass(d time.Duration) { h.ahead.Add(int64(d)) }

func (h *house) newAccount(t testing.TB) string {
	t.Helper()
	a := account.Account{ID: account.NewID(), Plan: "free", CreatedAt: time.Now()}
	testkit.NoError(t, h.db.CreateAccount(t.Context(), a))

	return a.ID
}

// plan returns the account's current plan.
func (h *house) plan(t testing.TB) string {
	t.Helper()
	return testkit.Must(h.db.Account(t.Context(), h.account)).Plan
}

// customer returns Stripe's ID of an account's customer, which is created if necessary.
func (h *house) customer(t testing.TB, owner string) string {
	t.Helper()
	testkit.NoError(t, testkit.Err(h.Checkout(t.Context(), owner, "starter")))

	return testkit.Must(h.store.Customer(t.Context(), owner)).ID
}

// send delivers an event.
func (h *house) send(t testing.TB, e stripeserver.Event) {
	t.Helper()
	testkit.NoError(t, h.Receive(t.Context(), e.Payload, e.Signature))
}

// subscribe buys a plan for the account, and returns the subscription.
func (h *house) subscribe(t testing.TB, plan string) string {
	t.Helper()
	url := testkit.Must(h.Checkout(t.Context(), h.account, plan))
	subscription, e := h.stripe.Complete(url)
	h.send(t, e)
	if got := h.plan(t); got != plan {
		t.Fatalf("after paying for %s the plan is %s", plan, got)
	}

	return subscription
}

// bill returns a payment by a consumer in Brașov.
func (h *house) bill(t testing.TB) stripeserver.Bill {
	return stripeserver.Bill{
		Customer: h.customer(t, h.account), Currency: "ron", Amount: 9900, Tax: 2079, Price: starterPrice,
		At: time.Now(), Name: "Ștefana Închipuită", Country: "RO",
	}
}

// invoices waits for n rendered invoices of the account, and returns them oldest first.
func (h *house) invoices(t testing.TB, n int) []customer.Invoice {
	t.Helper()
	return h.awaitInvoices(t, n, func(i customer.Invoice) bool { return i.PDFReady })
}

// issuedInvoices waits for a number of invoices and returns them. Their PDFs may not be rendered yet.
func (h *house) issuedInvoices(t testing.TB, n int) []customer.Invoice {
	t.Helper()
	return h.awaitInvoices(t, n, func(customer.Invoice) bool { return true })
}

func (h *house) awaitInvoices(t testing.TB, n int, done func(customer.Invoice) bool) []customer.Invoice {
	t.Helper()
	var all []customer.Invoice
	testkit.Until(t, "the invoices are done", func() bool {
		var err error
		if all, err = h.store.Invoices(t.Context(), h.account); err != nil {
			t.Fatal(err)
		}
		return len(all) == n && !slices.ContainsFunc(all, func(i customer.Invoice) bool { return !done(i) })
	})
	slices.Reverse(all)
	return all
}

// awaitIdle waits until a queue has no work left, not even for later.
func (h *house) awaitIdle(t testing.TB, queue store.Queue) {
	t.Helper()
	testkit.Until(t, "nothing is due", func() bool {
		due, err := h.store.NextDue(t.Context(), queue)
		return err == nil && due.IsZero()
	})
}
