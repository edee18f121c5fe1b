// Package billing sells plans: subscriptions by way of Stripe, and the invoices for
// what was paid.
//
// Stripe is asked, never believed by hearsay: an event only says what to look at. So
// it does not matter in which order events come, how often, or whether the process
// dies between them.
package billing

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"
	_ "time/tzdata" // invoices are dated by the clock of Bucharest, on every machine

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/queue"
)

// Options are what billing needs.
type Options struct {
	Accounts Accounts
	Store    Store
	// Stripe is the connection to it; nil when there is none: then nothing is sold,
	// and what has been invoiced is still looked after.
	Stripe *Stripe
	// WebhookSecret is that of Stripe's endpoint for us, with which it signs events;
	// without it they are refused with api.ErrNoBilling.
	WebhookSecret string
	// Products are the plans that are sold, or were.
	Products []Product
	// DefaultPlan is the code of the plan of those who have no subscription.
	DefaultPlan string
	// ReturnURL is the page to which Stripe sends people back.
	ReturnURL string
	// AutomaticTax has Stripe add the VAT to prices. Without it, prices contain it.
	AutomaticTax bool
	// Grace is how long a plan outlives a payment that is due. Default 72 h.
	Grace time.Duration

	// Seller is who issues invoices. With a test key of Stripe, an invented one does by
	// default. Nil otherwise means that payments wait for their invoices.
	Seller *invoice.Seller
	// Series is that of the invoices. Default RD, and TEST for the invented seller.
	Series string
	// VAT are the standard rates of VAT. Default invoice.StandardRates.
	VAT invoice.Rates
	// Rates tells what currencies cost in lei; needed with a Seller.
	Rates Rates
	// EFactura sends invoices to RO e-Factura; nil when that is off.
	EFactura *efactura.Client

	// Now tells the time. Default time.Now.
	Now    func() time.Time
	Logger *slog.Logger
}

// Product is a plan that is sold.
type Product struct {
	// Plan is its code, and Name how people see it.
	Plan, Name string
	// Price is how Stripe calls its price; empty for CentsMonthly.
	Price string
	// CentsMonthly is what a month costs in euro cents, without VAT.
	CentsMonthly int64
	// Sold says that it can be bought now.
	Sold bool
}

// Rates tells what currencies cost.
type Rates interface {
	// Lei is the rate at which amounts in a currency are expressed in lei, for a tax
	// that became due on a day.
	Lei(ctx context.Context, currency string, day invoice.Date) (invoice.Exchange, error)
}

const (
	defaultSeries = "RD"
	testSeries    = "TEST"
)

// testSeller issues the invoices of a test key of Stripe when no seller is named.
// Their numbers are in a series of its own, so that the seller's begins with 1.
var testSeller = invoice.Seller{
	Name: "Vânzător Închipuit SRL (TEST)", VATID: "RO99990007",
	Address: invoice.Address{Street: "Str. Închipuită nr. 1", City: "Cluj-Napoca", County: "CJ", PostalCode: "400001", Country: "RO"},
}

// Billing sells plans and issues invoices, these in the background. It may be used
// concurrently.
type Billing struct {
	o         Options
	sender    *efactura.Sender
	bucharest *time.Location

	pool    *queue.Pool
	workers [3]queue.Worker // by Queue
}

// Open begins to look after what has been paid and invoiced; Close ends that. It
// refuses a seller for whom no invoice could be issued.
func Open(o Options) (*Billing, error) {
	bucharest, err := time.LoadLocation("Europe/Bucharest")
	if err != nil {
		return nil, err
	}
	if o.Seller == nil && o.Stripe != nil && o.Stripe.test {
		o.Seller, o.Series = &testSeller, testSeries
	}
	o.Grace, o.Series = cmp.Or(o.Grace, 72*time.Hour), cmp.Or(o.Series, defaultSeries)
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &Billing{o: o, bucharest: bucharest, pool: queue.NewPool()}
	if o.Seller != nil {
		if err := CheckSeller(*o.Seller, o.Series, o.VAT); err != nil {
			return nil, fmt.Errorf("no invoice could be issued: %w", err)
		}
	}
	if o.EFactura != nil {
		b.sender = &efactura.Sender{Client: o.EFactura, Save: saveClaimed}
	}
	b.start()
	return b, nil
}

// CheckSeller sees that a seller can issue invoices, by issuing one to nobody. The
// series and the rates are as in Options.
func CheckSeller(seller invoice.Seller, series string, rates invoice.Rates) error {
	day := invoice.Date{Year: 2026, Month: time.January, Day: 1}
	_, err := invoice.New(invoice.Draft{
		ID: "trial", Series: cmp.Or(series, defaultSeries), Number: 1, IssueDate: day, PaidOn: day, Seller: seller,
		Customer: invoice.Customer{Name: "Nobody", Address: invoice.Address{Street: "Nowhere", City: "Vaduz", Country: "LI"}},
		Currency: "RON", Items: []invoice.Item{{Name: "Nothing", Quantity: 1, Price: 1}}, VATIncluded: true, Rates: rates,
	})
	return err
}

// today is the day in Bucharest.
func (b *Billing) today() invoice.Date { return b.day(b.o.Now()) }

func (b *Billing) day(t time.Time) invoice.Date { return invoice.DateOf(t.In(b.bucharest)) }

// product finds a plan among those that are sold, or were.
func (b *Billing) product(plan string) *Product {
	for i := range b.o.Products {
		if b.o.Products[i].Plan == plan {
			return &b.o.Products[i]
		}
	}
	return nil
}

// ofPrice finds the plan that has a price at Stripe.
func (b *Billing) ofPrice(price string) *Product {
	for i := range b.o.Products {
		if price != "" && b.o.Products[i].Price == price {
			return &b.o.Products[i]
		}
	}
	return nil
}
