// Package invoices provides invoices of every kind between invented parties, for tests of their consumers.
package invoices

import (
	"time"

	"github.com/rodata/rodata/billing/invoice"
)

func day(month time.Month, day int) invoice.Date {
	return invoice.Date{Year: 2026, Month: month, Day: day}
}

// Draft returns a draft for a month of a plan, in lei, from a seller in Cluj to a business in Iași, paid on the day of
// issue.
func Draft() invoice.Draft {
	return invoice.Draft{
		ID: "019a9f6e-0000-7000-8000-000000000001", Series: "RDT", Number: 42,
		IssueDate: day(time.November, 20), PaidOn: day(time.November, 20),
		Period: invoice.Period{From: day(time.November, 20), To: day(time.December, 19)},
		Seller: invoice.Seller{
			Name: "Înțelepții Datelor Șaptesprezece SRL",
			Address: invoice.Address{Street: "Str. Închipuită nr. 7, ap. 3", City: "Cluj-Napoca", County: "CJ",
				PostalCode: "400001", Country: "RO"},
			VATID: "RO99990007", TradeRegister: "J2020999907129", Capital: "200 lei",
			IBAN: "RO49AAAA1B31007593840000", Bank: "Banca Exemplu", Email: "facturi@rodata.example",
		},
		Customer: Business(), Currency: "RON",
		Items: []invoice.Item{{Name: "Abonament Starter, 5000 credite", Quantity: 1, Price: 9900}},
	}
}

// Business returns a company in Iași that is registered for VAT.
func Business() invoice.Customer {
	return invoice.Customer{
		Name: "Țesătoria Fără Război SRL",
		Address: invoice.Address{Street: "Bd. Nicăieri nr. 12", City: "Iași", County: "Iași", PostalCode: "700002",
			Country: "RO"},
		VATID: "RO99990015", Email: "contabilitate@tesatoria.example",
	}
}

// Consumer returns a private person in Brașov.
func Consumer() invoice.Customer {
	return invoice.Customer{
		Name: "Ștefana Închipuită",
		Address: invoice.Address{Street: "Str. Inventată nr. 3", City: "Brașov", County: "BV", PostalCode: "500003",
			Country: "RO"},
	}
}

// Union returns a company in Germany that is registered for VAT there.
func Union() invoice.Customer {
	return invoice.Customer{
		Name:    "Erfundene Daten GmbH",
		Address: invoice.Address{Street: "Niemandsweg 5", City: "Köln", PostalCode: "50667", Country: "DE"},
		VATID:   "DE999999999",
	}
}

// Overseas returns a company in the United States.
func Overseas() invoice.Customer {
	return invoice.Customer{
		Name: "Imaginary Data Inc.",
		Address: invoice.Address{Street: "1 Nowhere Street", City: "Springfield", PostalCode: "99999",
			Country: "US"},
		RegistrationID: "99-9999999",
	}
}

// Must returns the invoice of a draft; it panics on an error.
func Must(d invoice.Draft) invoice.Invoice {
	i, err := invoice.New(d)
	if err != nil {
		panic(err)
	}
	return i
}

// For returns the invoice of Draft for another customer. A customer abroad pays in euro.
func For(c invoice.Customer) invoice.Invoice {
	d := Draft()
	d.Customer = c
	if c.Address.Country != "RO" {
		InEuro(&d)
	}

	return Must(d)
}

// InEuro changes a draft to 29 euro.
func InEuro(d *invoice.Draft) {
	d.Currency = "EUR"
	d.Items[0].Price = 2900
	d.Exchange = invoice.Exchange{Rate: "5.0900", Date: day(time.November, 19)}
}

// Examples returns an invoice of every kind, by name.
func Examples() map[string]invoice.Invoice {
	bucharest := Business()
	bucharest.Address.City, bucharest.Address.County, bucharest.Address.PostalCode = "București, sectorul 3",
		"București", "030003"
	small := Business()
	small.VATID, small.RegistrationID = "", "99990023"
	euro := Draft()
	euro.Customer = Union()
	euro.Customer.VATID = ""
	InEuro(&euro)
	unpaid := Draft()
	unpaid.PaidOn, unpaid.DueDate = invoice.Date{}, day(time.December, 5)
	unpaid.Items = append(unpaid.Items, invoice.Item{Name: "Restituire pentru zilele nefolosite", Quantity: 1,
		Price: -1234})
	test := Draft()
	test.Test = true
	correction, err := For(Business()).Correct(invoice.Correction{
		ID: "019a9f6e-0000-7000-8000-000000000002", Series: "RDT", Number: 43,
		IssueDate: day(time.November, 25), Reason: "Abonament anulat în termenul de retragere",
	})
	if err != nil {
		panic(err)
	}

	return map[string]invoice.Invoice{
		"business":   For(Business()),
		"unvatted":   For(small),
		"consumer":   For(Consumer()),
		"bucharest":  For(bucharest),
		"union":      For(Union()),
		"euro":       Must(euro),
		"overseas":   For(Overseas()),
		"unpaid":     Must(unpaid),
		"correction": correction,
		"test":       Must(test),
	}
}
