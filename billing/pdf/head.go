package pdf

import (
	"slices"
	"strings"

	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/pdf"
)

func title(i invoice.Invoice) pdf.Label {
	if i.Kind == invoice.Storno {
		return label("FACTURĂ STORNO", "Credit note")
	}
	return label("FACTURĂ", "Invoice")
}

func (p *page) drawHead() {
	i := p.invoice
	t := title(i)
	p.Text(pdf.Left, pdf.Top, pdf.Width/2, pdf.AtLeft, 20, pdf.Bold, pdf.Accent, t.Native)
	p.Text(pdf.Left, pdf.Top+9, pdf.Width/2, pdf.AtLeft, 9, pdf.Regular, pdf.Faint, t.English)
	p.Text(pdf.Left, pdf.Top+15, pdf.Width/2, pdf.AtLeft, 11, pdf.Bold, pdf.Ink, i.Label())
	p.Text(pdf.Left, pdf.Top+20.5, pdf.Width/2, pdf.AtLeft, 8, pdf.Regular, pdf.Faint,
		"Seria "+i.Series+" nr. "+i.Label()[len(i.Series)+1:])

	y := pdf.Top + 1.0
	for _, row := range facts(i) {
		p.Text(pdf.Right-92, y, 58, pdf.AtRight, 8.5, pdf.Regular, pdf.Ink, row.Native)
		p.Text(pdf.Right-92, y+3.6, 58, pdf.AtRight, 6.5, pdf.Regular, pdf.Faint, row.English)
		p.Text(pdf.Right-32, y, 32, pdf.AtRight, 8.5, pdf.Bold, pdf.Ink, row.value)
		y += 8
	}

	p.y = max(pdf.Top+27, y) + 1
	p.Rule(p.y, pdf.Accent)
	p.y += 6
}

type fact struct {
	pdf.Label
	value string
}

func facts(i invoice.Invoice) []fact {
	rows := []fact{{label("Data emiterii", "Issue date"), day(i.IssueDate)}}
	if i.SupplyDate != i.IssueDate {
		rows = append(rows, fact{label("Data livrării", "Date of supply"), day(i.SupplyDate)})
	}
	if !i.PaidOn.IsZero() {
		rows = append(rows, fact{label("Achitată integral la", "Paid in full on"), day(i.PaidOn)})
	}
	if !i.DueDate.IsZero() {
		rows = append(rows, fact{label("Scadentă la", "Due date"), day(i.DueDate)})
	}

	if i.Kind == invoice.Storno {
		rows = append(rows,
			fact{label("Stornează factura", "Corrects invoice"), i.Corrects.Label},
			fact{label("din data de", "of"), day(i.Corrects.IssueDate)})
	}

	return rows
}

func (p *page) drawParties() {
	const gap = 10.0
	column := (pdf.Width - gap) / 2
	y := p.y
	sellerEnd := p.drawParty(pdf.Left, y, column, label("FURNIZOR", "Supplier"), p.invoice.Seller.Name,
		sellerLines(p.invoice.Seller))
	customerEnd := p.drawParty(pdf.Left+column+gap, y, column, label("CUMPĂRĂTOR", "Customer"), p.invoice.Customer.Name,
		customerLines(p.invoice.Customer))
	p.y = max(sellerEnd, customerEnd) + 6
}

// drawParty draws a name and the lines below it, and returns its lower edge.
func (p *page) drawParty(x, y, w float64, l pdf.Label, name string, lines []string) float64 {
	p.Text(x, y, w, pdf.AtLeft, 7.5, pdf.Bold, pdf.Accent, l.Native)
	p.Text(x, y+3.4, w, pdf.AtLeft, 6.5, pdf.Regular, pdf.Faint, l.English)
	y += 8.5
	for _, part := range p.Wrap(w, 10.5, pdf.Bold, name) {
		p.Text(x, y, w, pdf.AtLeft, 10.5, pdf.Bold, pdf.Ink, part)
		y += 4.8
	}

	y += 0.8
	for _, line := range lines {
		for _, part := range p.Wrap(w, 8.5, pdf.Regular, line) {
			p.Text(x, y, w, pdf.AtLeft, 8.5, pdf.Regular, pdf.Ink, part)
			y += 4.1
		}
	}

	return y
}

func sellerLines(s invoice.Seller) []string {
	return nonEmpty(
		"CIF / VAT ID "+s.VATID, withPrefix("Nr. Reg. Com. ", s.TradeRegister),
		withPrefix("Capital social ", s.Capital),
		s.Address.Street, city(s.Address),
		withPrefix("IBAN ", s.IBAN), s.Bank, s.Email, s.Phone)
}

func customerLines(c invoice.Customer) []string {
	return nonEmpty(withPrefix("CIF / VAT ID ", c.VATID), withPrefix("Nr. înreg. / Reg. no. ", c.RegistrationID),
		c.Address.Street, city(c.Address), c.Email)
}

func city(a invoice.Address) string {
	parts := nonEmpty(strings.TrimSpace(a.PostalCode+" "+a.CityName()), a.County, a.Country)
	if a.CityName() != a.City { // the city of a sector is already named
		parts = []string{parts[0], a.Country}
	}
	return strings.Join(parts, ", ")
}

// withPrefix puts a word before a text, unless the text is empty.
func withPrefix(word, text string) string {
	if text == "" {
		return ""
	}
	return word + text
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}
