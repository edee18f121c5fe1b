// Package invoice makes the invoices of a Romanian seller: what they say, what
// they add up to, and how they are corrected. It computes and does nothing else;
// the documents are made by its neighbours ubl and pdf, and sent by efactura.
package invoice

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// Kind is the type of an invoice, by its code in UNTDID 1001.
type Kind string

// The kinds of invoices.
const (
	Commercial Kind = "380"
	Storno     Kind = "381" // takes back an earlier invoice
)

// Invoice is an issued invoice, complete and immutable. It can be encoded as JSON and decoded without loss. The amounts
// of a Storno are negative.
type Invoice struct {
	ID     string // UUIDv7
	Series string
	Number int // from 1, without gaps in its series
	Kind   Kind

	IssueDate  Date
	SupplyDate Date   // when it was supplied or paid in advance: decides the VAT rate
	DueDate    Date   // zero when it is paid
	PaidOn     Date   // zero when it is not
	Period     Period // zero when the supply has none

	Seller   Seller
	Customer Customer
	Lines    []Line

	Currency string // ISO 4217
	Category Category
	Percent  Percent
	Net      Amount // the taxable base
	VAT      Amount
	Gross    Amount // Net + VAT

	Exchange Exchange
	NetLei   Amount // Net in bani
	VATLei   Amount // VAT in bani

	Corrects Reference // the invoice that a Storno takes back
	Reason   string    // why

	// Test means that nothing was charged, so the invoice has no fiscal value. Its documents say so, and it is never
	// sent to RO e-Factura's production.
	Test bool `json:",omitempty"`
}

// Period is the days of a service, both included.
type Period struct{ From, To Date }

// Line is one item of an invoice. The VAT of the lines adds up to the invoice's exactly.
type Line struct {
	Name     string
	Quantity int64  // negative where a line gives money back
	Price    Amount // of one, without VAT, never negative
	Net, VAT Amount
}

// Reference names another invoice.
type Reference struct {
	Label     string
	IssueDate Date
}

// Label is the number that an invoice is known by: the series and at least seven digits, as RDT-0000042.
func (i Invoice) Label() string { return fmt.Sprintf("%s-%07d", i.Series, i.Number) }

// Draft is the input of New.
type Draft struct {
	ID     string
	Series string // a capital, then up to nine capitals and digits
	Number int

	IssueDate  Date
	SupplyDate Date // default the issue date
	DueDate    Date // needed unless PaidOn is given
	PaidOn     Date
	Period     Period

	Seller   Seller
	Customer Customer
	Currency string // RON, EUR, USD, GBP or CHF
	Items    []Item
	// VATIncluded means that the prices include the VAT, so that the invoice comes to exactly what was paid, whoever
	// computed the tax. Each quantity is then 1.
	VATIncluded bool
	// Exchange is the rate to use by art. 290: the last one published before the
	// tax became due. Needed unless the currency is RON.
	Exchange Exchange
	// Rates are the VAT rates. Default StandardRates.
	Rates Rates
	// Test is for a payment with which nothing was charged.
	Test bool
}

// Item is one thing that a draft charges for; a negative price is a refund.
type Item struct {
	Name     string
	Quantity int64
	Price    Amount // of one
}

var (
	seriesForm = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,9}$`)
	currencies = []string{"RON", "EUR", "USD", "GBP", "CHF"} // all have hundredths
)

const maxLines = 999 // BR-RO-A999

// CheckSeries validates the name of a series: a capital letter and up to nine capitals and digits.
func CheckSeries(series string) error {
	if !seriesForm.MatchString(series) {
		return fmt.Errorf("the series %q is not a capital and up to nine capitals and digits", series)
	}
	return nil
}

// New makes the invoice of a draft. It decides the VAT by the customer and the day of supply, and computes the totals
// so that net and VAT add up to gross. The errors name what the draft lacks.
func New(d Draft) (Invoice, error) {
	if d.SupplyDate.IsZero() {
		d.SupplyDate = d.IssueDate
	}
	if d.Rates == nil {
		d.Rates = StandardRates
	}
	if err := d.check(); err != nil {
		return Invoice{}, fmt.Errorf("issuing an invoice: %w", err)
	}

	i := Invoice{
		ID: d.ID, Series: d.Series, Number: d.Number, Kind: Commercial,
		IssueDate: d.IssueDate, SupplyDate: d.SupplyDate, DueDate: d.DueDate, PaidOn: d.PaidOn, Period: d.Period,
		Currency: d.Currency, Exchange: d.Exchange, Test: d.Test,
	}

	if err := i.settle(d); err != nil {
		return Invoice{}, fmt.Errorf("issuing invoice %s: %w", i.Label(), err)
	}
	return i, nil
}

func (d Draft) check() error {
	switch {
	case d.ID == "":
		return errors.New("it has no id")
	case CheckSeries(d.Series) != nil:
		return CheckSeries(d.Series)
	case d.Number < 1:
		return fmt.Errorf("the number is %d, want 1 or more", d.Number)
	case d.IssueDate.IsZero():
		return errors.New("it has no issue date")
	case d.PaidOn.IsZero() == d.DueDate.IsZero():
		return errors.New("give either the day on which it was paid or the day on which it is due")
	case d.Period.From.IsZero() != d.Period.To.IsZero() || d.Period.From.Compare(d.Period.To) > 0:
		return fmt.Errorf("the period from %q to %q is none", d.Period.From, d.Period.To)
	case !slices.Contains(currencies, d.Currency):
		return fmt.Errorf("the currency %q is not one of %v", d.Currency, currencies)
	case d.Currency == "RON" && d.Exchange != Exchange{}:
		return errors.New("an invoice in RON has no exchange rate")
	case len(d.Items) == 0 || len(d.Items) > maxLines:
		return fmt.Errorf("it has %d lines, want 1 to %d", len(d.Items), maxLines)
	}

	if d.Currency != "RON" {
		return d.Exchange.check()
	}
	return nil
}

// settle fills in the parties, the VAT and the amounts.
func (i *Invoice) settle(d Draft) (err error) {
	if i.Seller, err = d.Seller.check(); err != nil {
		return err
	}
	if i.Customer, err = d.Customer.check(); err != nil {
		return err
	}
	if i.Category, i.Percent, err = treatment(i.Customer, i.SupplyDate, d.Rates); err != nil {
		return err
	}

	for n, item := range d.Items {
		line, err := item.line(d.VATIncluded)
		if err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
		i.Lines = append(i.Lines, line)
	}

	return i.total(d.VATIncluded)
}
