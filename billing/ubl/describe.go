package ubl

import (
	"strconv"
	"unicode/utf8"

	"github.com/rodata/rodata/billing/invoice"
)

const (
	ciusRO = "urn:cen.eu:en16931:2017#compliant#urn:efactura.mfinante.ro:CIUS-RO:1.0.1"
	schema = "urn:oasis:names:specification:ubl:schema:xsd:"

	vat    = "VAT"
	notVAT = "NOT_VAT" // the scheme of a fiscal code that is not for VAT (BT-32)

	// nobody stands for a number that a private person has not given.
	nobody = "0000000000000"

	piece          = "H87" // UN/ECE recommendation 20
	creditTransfer = "30"  // UNTDID 4461
)

func describe(i invoice.Invoice) document {
	d := document{
		CAC: schema + "CommonAggregateComponents-2", CBC: schema + "CommonBasicComponents-2",
		UBLVersion: "2.1", Customization: ciusRO,
		ID: i.Label(), IssueDate: i.IssueDate.String(), DueDate: i.DueDate.String(),
		Currency: i.Currency,
		Seller:   seller(i), Customer: customer(i),
	}
	if i.Test {
		d.Notes = append(d.Notes, "TEST: factură de probă, fără valoare fiscală (test invoice without fiscal value)")
	}

	if i.Currency != "RON" {
		d.TaxCurrency = "RON"
		d.Notes = append(d.Notes, "Curs de schimb BNR: 1 "+i.Currency+" = "+i.Exchange.Rate+" RON, din "+
			i.Exchange.Date.String())
	}

	if !i.Period.From.IsZero() {
		d.Period = &period{From: i.Period.From.String(), To: i.Period.To.String()}
	}
	if i.SupplyDate != i.IssueDate {
		d.Delivered = &delivery{Date: i.SupplyDate.String()}
	}
	if !i.PaidOn.IsZero() {
		d.PaymentTerms = &paymentTerms{Note: "Achitată la " + i.PaidOn.String()}
	}
	if !i.DueDate.IsZero() && i.Seller.IBAN != "" {
		d.PaymentMeans = &paymentMeans{Code: creditTransfer, IBAN: i.Seller.IBAN}
	}

	d.name(i)
	d.addAmounts(i)
	return d
}

// name sets the names that differ between an Invoice and a CreditNote: the names of the root, the type and the lines.
func (d *document) name(i invoice.Invoice) {
	root := "Invoice"
	if i.Kind == invoice.Storno {
		root = "CreditNote"
		d.CreditNoteType = string(i.Kind)
		d.Notes = append(d.Notes, "Motivul corecției: "+i.Reason)
		d.Corrects = &billingReference{ID: i.Corrects.Label, IssueDate: i.Corrects.IssueDate.String()}
	} else {
		d.InvoiceType = string(i.Kind)
	}

	d.XMLName.Local, d.Namespace = root, schema+root+"-2"
}

// addAmounts fills in the amounts. The amounts of a credit note are positive, because its type expresses the refund.
func (d *document) addAmounts(i invoice.Invoice) {
	sign := invoice.Amount(1)
	if i.Kind == invoice.Storno {
		sign = -1
	}

	amount := func(a invoice.Amount) money { return money{Currency: i.Currency, Value: (sign * a).String()} }

	d.TaxTotals = []taxTotal{{Amount: amount(i.VAT), Subtotal: &taxSubtotal{
		Taxable: amount(i.Net), Tax: amount(i.VAT), Category: category(i, true),
	}}}
	if i.Currency != "RON" {
		d.TaxTotals = append(d.TaxTotals, taxTotal{Amount: money{Currency: "RON", Value: (sign * i.VATLei).String()}})
	}

	d.Totals = totals{Lines: amount(i.Net), Net: amount(i.Net), Gross: amount(i.Gross), Payable: amount(i.Gross)}
	if !i.PaidOn.IsZero() {
		prepaid := amount(i.Gross)
		d.Totals.Prepaid, d.Totals.Payable = &prepaid, amount(0)
	}

	for n, l := range i.Lines {
		number := &quantity{Unit: piece, Value: int64(sign) * l.Quantity}
		out := line{ID: strconv.Itoa(n + 1), Net: amount(l.Net), Item: describeItem(l, i),
			Price: money{Currency: i.Currency, Value: l.Price.String()}}
		if i.Kind == invoice.Storno {
			out.Credited = number
			d.CreditLines = append(d.CreditLines, out)
		} else {
			out.Invoiced = number
			d.InvoiceLines = append(d.InvoiceLines, out)
		}
	}
}

// describeItem shortens a name that is too long for RO e-Factura and moves the rest into the description.
func describeItem(l invoice.Line, i invoice.Invoice) item {
	it := item{Name: shorten(l.Name, maxItemName), Tax: category(i, false)}
	if it.Name != l.Name {
		it.Description = shorten(l.Name, maxItemDescription)
	}
	return it
}

func shorten(text string, length int) string {
	if utf8.RuneCountInString(text) <= length {
		return text
	}
	return string([]rune(text)[:length-1]) + "…"
}

// category returns the VAT category. The reason for an exemption is given once, with the totals.
func category(i invoice.Invoice, withReason bool) taxCategory {
	c := taxCategory{ID: string(i.Category), Percent: i.Percent.String(), Scheme: vat}
	switch i.Category {
	case invoice.ReverseCharge:
		if withReason {
			c.ReasonCode, c.Reason = "VATEX-EU-AE", "Taxare inversă"
		}
	case invoice.OutsideScope:
		c.Percent = "" // BR-O-05: outside the scope of VAT there is no rate, not a zero rate
		if withReason {
			c.ReasonCode, c.Reason = "VATEX-EU-O", "Neimpozabil în România, art. 278 din Codul fiscal"
		}
	}

	return c
}

func seller(i invoice.Invoice) party {
	s := i.Seller
	p := party{
		Address:   place(s.Address),
		TaxScheme: &taxScheme{CompanyID: s.VATID, Scheme: vat},
		Legal:     legal{Name: s.Name, CompanyID: s.FiscalCode(), Form: s.TradeRegister},
	}
	if s.Capital != "" {
		p.Legal.Form += ", capital social " + s.Capital
	}
	if i.Category == invoice.OutsideScope { // BR-O-02: outside the scope of VAT there is no VAT number
		p.TaxScheme = &taxScheme{CompanyID: s.FiscalCode(), Scheme: notVAT}
	}
	if s.Phone != "" || s.Email != "" {
		p.Contact = &contact{Phone: s.Phone, Email: s.Email}
	}

	return p
}

func customer(i invoice.Invoice) party {
	c := i.Customer
	p := party{Address: place(c.Address), Legal: legal{Name: c.Name, CompanyID: c.RegistrationID}}
	switch {
	case c.VATID != "" && i.Category != invoice.OutsideScope:
		p.TaxScheme = &taxScheme{CompanyID: c.VATID, Scheme: vat}
	case c.RegistrationID == "" && c.VATID != "":
		p.Legal.CompanyID = c.VATID
	case c.RegistrationID == "":
		p.Legal.CompanyID = nobody
	}

	if c.Email != "" {
		p.Contact = &contact{Email: c.Email}
	}

	return p
}

func place(a invoice.Address) address {
	out := address{Street: a.Street, City: a.City, Post: a.PostalCode, County: a.County, Country: a.Country}
	if a.Country == "RO" {
		out.County = "RO-" + a.County
	}
	return out
}
