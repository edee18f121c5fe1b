// Package billing sells plans: subscriptions through Stripe, and invoices for payments.
//
// The content of Stripe events is never trusted. An event only says which objects to read from Stripe, so the order and
// number of events do not matter, and neither does a crash between them.
package billing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
	_ "time/tzdata" // invoices are dated in Bucharest's time zone, on every machine

	"github.com/rodata/rodata/account"
	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
)

// Options configure billing.
type Options struct {
	// Accounts are the accounts that plans are sold to.
	Accounts *accounts.DB
	Store    *store.Store
	// Stripe is the client of Stripe, or nil. Without it nothing is sold, but work on existing invoices continues.
	Stripe *Stripe
	// WebhookSecret is the signing secret of our endpoint at Stripe. Without it, events are refused with
	// customer.ErrNoBilling.
	WebhookSecret string
	// Products are the plans that are sold now, or were sold before.
	Products []Product
	// DefaultPlan is the code of the plan of accounts without a subscription.
	DefaultPlan string
	// ReturnURL is the page to which Stripe redirects people when they are done.
	ReturnURL string
	// AutomaticTax has Stripe add the VAT to prices. Without it, prices include it.
	AutomaticTax bool
	// Grace is the time for which a plan continues after a payment becomes overdue. Default 72 h.
	Grace time.Duration

	// Seller issues the invoices. With a test key of Stripe, the default is an invented seller; otherwise payments wait
	// for their invoices while it is nil.
	Seller *invoice.Seller
	// Series is the series of the invoices. Default RD, and TEST for the invented seller.
	Series string
	// VAT are the standard rates of VAT. Default invoice.StandardVATRates.
	VAT invoice.VATRates
	// Exchange has the exchange rates to lei; needed with a Seller.
	Exchange ExchangeRates
	// EFactura sends invoices to RO e-Factura; nil disables sending.
	EFactura *efactura.Client

	// Now returns the current time. Default time.Now.
	Now    func() time.Time
	Logger *slog.Logger
}

// Product is a plan that is sold now, or was sold before.
type Product struct {
	// Plan is its code, and Name its display name.
	Plan, Name string
	// Price is the ID of the plan's price at Stripe. It is empty if CentsMonthly is used instead.
	Price string
	// CentsMonthly is the monthly price in euro cents, without VAT.
	CentsMonthly int64
	// Sold means that it can be bought now.
	Sold bool
}

// ExchangeRates are rates of currencies in lei.
type ExchangeRates interface {
	// Lei returns the rate that converts amounts in a currency to lei, for a tax that became due on a day.
	Lei(ctx context.Context, currency string, day invoice.Date) (invoice.Exchange, error)
}

const (
	defaultSeries = "RD"
	testSeries    = "TEST"
)

// testSeller issues the invoices of a test key of Stripe when no seller is configured. They have a separate series, so
// that the seller's numbers start at 1.
var testSeller = invoice.Seller{
	Name: "Vânzător Închipuit SRL (TEST)", VATID: "RO99990007",
	Address: invoice.Address{Street: "Str. Închipuită nr. 1", City: "Cluj-Napoca", County: "CJ", PostalCode: "400001",
		Country: "RO"},
}

// Billing sells plans and, in the background, issues invoices. It may be used concurrently.
type Billing struct {
	o      Options
	sender *efactura.Sender

	pool    work.Pool
	workers [3]work.Worker // by store.Queue
}

// Open starts the work on payments and invoices; Close ends it. It rejects a seller that cannot issue invoices.
func Open(o Options) (*Billing, error) {
	if o.Seller == nil && o.Stripe != nil && o.Stripe.test {
		o.Seller, o.Series = &testSeller, testSeries
	}

	o.Grace, o.Series = cmp.Or(o.Grace, 72*time.Hour), cmp.Or(o.Series, defaultSeries)
	if o.Now == nil {
		o.Now = time.Now
	}

	b := &Billing{o: o}
	if o.Seller != nil {
		if err := CheckSeller(*o.Seller, o.Series, o.VAT); err != nil {
			return nil, fmt.Errorf("no invoice could be issued: %w", err)
		}
	}

	if o.EFactura != nil {
		b.sender = &efactura.Sender{Client: o.EFactura}
	}

	b.start()
	return b, nil
}

// CheckSeller verifies that a seller can issue invoices, by creating a trial invoice. The series and the rates are as
// in Options.
func CheckSeller(seller invoice.Seller, series string, rates invoice.VATRates) error {
	day := invoice.Date{Year: 2026, Month: time.January, Day: 1}
	_, err := invoice.New(invoice.Draft{
		ID: "trial", Series: cmp.Or(series, defaultSeries), Number: 1, IssueDate: day, PaidOn: day, Seller: seller,
		Customer: invoice.Customer{Name: "Nobody",
			Address: invoice.Address{Street: "Nowhere", City: "Vaduz", Country: "LI"}},
		Currency: "RON", Items: []invoice.Item{{Name: "Nothing", Quantity: 1, Price: 1}}, VATIncluded: true,
		VATRates: rates,
	})
	return err
}

func (b *Billing) today() invoice.Date { return b.day(b.o.Now()) }

func (b *Billing) day(t time.Time) invoice.Date { return invoice.DateOf(t.In(ro.Bucharest)) }

func (b *Billing) product(plan string) *Product {
	return b.find(func(p Product) bool { return p.Plan == plan })
}

func (b *Billing) productByPrice(price string) *Product {
	return b.find(func(p Product) bool { return price != "" && p.Price == price })
}

func (b *Billing) find(is func(Product) bool) *Product {
	if i := slices.IndexFunc(b.o.Products, is); i >= 0 {
		return &b.o.Products[i]
	}
	return nil
}

// down wraps an error of the store, unless it is a documented one.
func down(err error) error {
	if err == nil || errors.Is(err, account.ErrNoAccount) || errors.Is(err, customer.ErrNoCustomer) ||
		errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", account.ErrStoreDown, err)
}
