package pdf

import (
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/pdf"
)

// rate returns the VAT rate for a heading. It is empty for an invoice outside the scope of VAT.
func rate(i invoice.Invoice) string {
	if i.Category == invoice.OutsideScope {
		return "–"
	}
	return decimal(i.Percent.Short()) + "%"
}

// drawTotals draws the totals on the right, all on one page.
func (p *page) drawTotals() {
	i := p.invoice
	rows := []fact{
		{label("Bază de impozitare", "Taxable base"), amount(i.Net) + " " + i.Currency},
		{label("TVA "+rate(i), "VAT"), amount(i.VAT) + " " + i.Currency},
	}
	if i.Currency != "RON" {
		rows = append(rows,
			fact{label("Bază de impozitare în lei", "Taxable base in RON"), amount(i.NetLei) + " RON"},
			fact{label("TVA în lei", "VAT in RON"), amount(i.VATLei) + " RON"})
	}

	const step, total = 8.2, 13.0
	p.ensureRoom(float64(len(rows))*step + total + 2)
	const x = pdf.Right - 92
	for _, row := range rows {
		p.Text(x, p.y, 56, pdf.AtLeft, 8.5, pdf.Regular, pdf.Ink, row.Native)
		p.Text(x, p.y+3.7, 56, pdf.AtLeft, 6.5, pdf.Regular, pdf.Faint, row.English)
		p.Text(pdf.Right-42, p.y, 41, pdf.AtRight, 9, pdf.Regular, pdf.Ink, row.value)
		p.y += step
	}

	p.Fill(x-3, p.y, pdf.Right-x+3, total, pdf.Accent)
	due := label("TOTAL DE PLATĂ", "Total")
	if !i.PaidOn.IsZero() {
		due = label("TOTAL ACHITAT", "Total paid")
	}
	if i.Kind == invoice.Storno {
		due = label("TOTAL STORNAT", "Total credited")
	}

	p.Text(x, p.y+2.4, 50, pdf.AtLeft, 10, pdf.Bold, pdf.White, due.Native)
	p.Text(x, p.y+7.4, 50, pdf.AtLeft, 7, pdf.Regular, pdf.White, due.English)
	p.Text(pdf.Right-52, p.y+4, 50, pdf.AtRight, 12, pdf.Bold, pdf.White, amount(i.Gross)+" "+i.Currency)
	p.y += total + 6
}

// drawMentions draws the texts required by law (Fiscal Code art. 319 (20)).
func (p *page) drawMentions() {
	for _, m := range mentions(p.invoice) {
		native, english := p.Wrap(pdf.Width, 8.5, pdf.Regular, m.Native), p.Wrap(pdf.Width, 7, pdf.Regular, m.English)
		p.ensureRoom(float64(len(native))*4.2 + float64(len(english))*3.4 + 2)
		for _, line := range native {
			p.Text(pdf.Left, p.y, pdf.Width, pdf.AtLeft, 8.5, pdf.Regular, pdf.Ink, line)
			p.y += 4.2
		}

		for _, line := range english {
			p.Text(pdf.Left, p.y, pdf.Width, pdf.AtLeft, 7, pdf.Regular, pdf.Faint, line)
			p.y += 3.4
		}

		p.y += 2
	}
}

func mentions(i invoice.Invoice) []pdf.Label {
	var all []pdf.Label
	add := func(native, english string) { all = append(all, label(native, english)) }
	if !i.Period.From.IsZero() {
		dates := day(i.Period.From) + " – " + day(i.Period.To)
		add("Perioada de prestare: "+dates, "Period of service: "+dates)
	}

	switch i.Category {
	case invoice.ReverseCharge:
		add("Taxare inversă: TVA este datorată de beneficiar, art. 278 alin. (2) din Codul fiscal.",
			"Reverse charge: VAT is due by the customer, articles 44 and 196 of Directive 2006/112/EC.")
	case invoice.OutsideScope:
		add("Neimpozabil în România: locul prestării este în afara Uniunii Europene, art. 278 din Codul fiscal.",
			"Outside the scope of Romanian VAT: the place of supply is outside the European Union.")
	}

	if i.Currency != "RON" {
		quote := "1 " + i.Currency + " = " + decimal(i.Exchange.Rate) + " RON, " + day(i.Exchange.Date)
		add("Curs de schimb BNR: "+quote, "Exchange rate of the National Bank of Romania: "+quote)
	}
	if i.Kind == invoice.Storno {
		add("Motivul stornării: "+i.Reason, "Reason for the correction: "+i.Reason)
	}

	return all
}
