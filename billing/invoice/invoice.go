// Package invoice creates the invoices of a Romanian seller: their content, totals and corrections. It only computes;
// packages ubl and pdf create the documents, and package efactura sends them.
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
	Storno     Kind = "381" // corrects an earlier invoice
)

// Invoice is an issued invoice, complete and immutable. It survives a round trip through JSON without loss. The amounts
// of a Storno are negative.
type Invoice struct {
	ID     string // UUIDv7
	Series string
	Number int // from 1, without gaps in its series
	Kind   Kind

	IssueDate  Date
	SupplyDate Date   // the day of supply or prepayment, which decides the VAT rate
	DueDate    Date   // zero if it is paid
	PaidOn     Date   // zero if it is unpaid
	Period     Period // zero if the supply has no period

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

	Corrects Reference // the invoice corrected by a Storno
	Reason   string    // the reason

	// Test means that no real payment was made, so the invoice has no fiscal value. Its documents say so, and it is
	// never sent to RO e-Factura's production service.
	Test bool `json:",omitempty"`
}

// Period is the days of a service, both inclusive.
type Period struct{ From, To Date }

// Line is one item of an invoice. The VAT of all lines adds up exactly to the invoice's VAT.
type Line struct {
	Name     string
	Quantity int64  // negative for a refund
	Price    Amount // of one unit, without VAT, never negative
	Net, VAT Amount
}

// Reference refers to another invoice.
type Reference struct {
	Label     string
	IssueDate Date
}

// Label returns the displayed number of an invoice: the series and at least seven digits, such as RDT-0000042.
func (i Invoice) Label() string { return fmt.Sprintf("%s-%07d", i.Series, i.Number) }

// Draft is the input of New.
type Draft struct {
	ID     string
	Series string // a capital letter, then up to nine capital letters and digits
	Number int

	IssueDate  Date
	SupplyDate Date // default: the issue date
	DueDate    Date // required unless PaidOn is given
	PaidOn     Date
	Period     Period

	Seller   Seller
	Customer Customer
	Currency string // RON, EUR, USD, GBP or CHF
	Items    []Item
	// VATIncluded means that the prices include VAT, so that the invoice total equals the payment, no matter who
	// computed the tax. Each quantity must then be 1.
	VATIncluded bool
	// Exchange is the exchange rate required by art. 290: the last one published before the tax became due. Required
	// unless the currency is RON.
	Exchange Exchange
	// VATRates are the standard rates of VAT. Default StandardVATRates.
	VATRates VATRates
	// Test marks a payment in which no real money was charged.
	Test bool
}

// Item is an item of a draft; a negative price is a refund.
type Item struct {
	Name     string
	Quantity int64
	Price    Amount // of one unit
}

var (
	seriesForm = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,9}$`)
	currencies = []string{"RON", "EUR", "USD", "GBP", "CHF"} // all have hundredths
)

const maxLines = 999 // BR-RO-A999

func checkSeries(series string) error {
	if !seriesForm.MatchString(series) {
		return fmt.Errorf("the series %q is not a capital letter followed by up to nine capital letters and digits", series)
	}
	return nil
}

// New creates the invoice of a draft. It determines the VAT from the customer and the day of supply, and computes the
// totals so that net and VAT add up to gross. The errors name the missing parts of the draft.
func New(d Draft) (Invoice, error) {
	if d.SupplyDate.IsZero() {
		d.SupplyDate = d.IssueDate
	}
	if d.VATRates == nil {
		d.VATRates = StandardVATRates
	}
	if err := d.check(); err != nil {
		return Invoice{}, fmt.Errorf("issuing an invoice: %w", err)
	}

	i := Invoice{
		ID: d.ID, Series: d.Series, Number: d.Number, Kind: Commercial,
		IssueDate: d.IssueDate, SupplyDate: d.SupplyDate, DueDate: d.DueDate, PaidOn: d.PaidOn, Period: d.Period,
		Currency: d.Currency, Exchange: d.Exchange, Test: d.Test,
	}

	if err := i.fill(d); err != nil {
		return Invoice{}, fmt.Errorf("issuing invoice %s: %w", i.Label(), err)
	}

	return i, nil
}

func (d Draft) check() error {
	switch {
	case d.ID == "":
		return errors.New("it has no id")
	case checkSeries(d.Series) != nil:
		return checkSeries(d.Series)
	case d.Number < 1:
		return fmt.Errorf("the number is %d, want 1 or more", d.Number)
	case d.IssueDate.IsZero():
		return errors.New("it has no issue date")
	case d.PaidOn.IsZero() == d.DueDate.IsZero():
		return errors.New("give either the day on which it was paid or the day on which it is due")
	case d.Period.From.IsZero() != d.Period.To.IsZero() || d.Period.From.Compare(d.Period.To) > 0:
		return fmt.Errorf("the period from %q to %q is not valid", d.Period.From, d.Period.To)
	case !slices.Contains(currencies, d.Currency):
		return fmt.Errorf("the currency %q is not one of %v", d.Currency, currencies)
	case d.Currency == "RON" && d.Exchange != Exchange{}:
		return errors.New("an invoice in RON must not have an exchange rate")
	case len(d.Items) == 0 || len(d.Items) > maxLines:
		return fmt.Errorf("it has %d lines, want 1 to %d", len(d.Items), maxLines)
	}

	if d.Currency != "RON" {
		return d.Exchange.check()
	}
	return nil
}

func (i *Invoice) fill(d Draft) (err error) {
	if i.Seller, err = d.Seller.check(); err != nil {
		return err
	}
	if i.Customer, err = d.Customer.check(); err != nil {
		return err
	}
	if i.Category, i.Percent, err = treatment(i.Customer, i.SupplyDate, d.VATRates); err != nil {
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
