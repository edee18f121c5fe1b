package pdf

import (
	"strconv"

	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/pdf"
)

type column struct {
	pdf.Label
	width float64
	align pdf.Align
}

const (
	lineSize   = 8.5 // points
	lineHeight = 4.2
	padding    = 1.6
)

func (p *page) columns() []column {
	i := p.invoice
	return []column{
		{label("Nr.", "No."), 9, pdf.AtLeft},
		{label("Denumirea serviciului", "Description"), 67, pdf.AtLeft},
		{label("U.M.", "Unit"), 10, pdf.AtLeft},
		{label("Cant.", "Qty"), 14, pdf.AtRight},
		{label("Preț unitar", "Unit price, "+i.Currency), 24, pdf.AtRight},
		{label("Valoare", "Net, "+i.Currency), 25, pdf.AtRight},
		{label("TVA "+rate(i), "VAT, "+i.Currency), 25, pdf.AtRight},
	}
}

// drawLines draws the table of items, with its heading on every page.
func (p *page) drawLines() {
	columns := p.columns()
	p.drawTableHead(columns)
	for n, l := range p.invoice.Lines {
		name := p.Wrap(columns[1].width-2, lineSize, pdf.Regular, l.Name)
		height := float64(len(name))*lineHeight + 2*padding
		if p.ensureRoom(height) {
			p.drawTableHead(columns)
		}

		p.drawRow(columns, n+1, l, name)
		p.y += height
		p.Rule(p.y, pdf.Hair)
	}

	p.y += 5
}

func (p *page) drawTableHead(columns []column) {
	const height = 9.5
	p.Fill(pdf.Left, p.y, pdf.Width, height, pdf.Tint)
	x := pdf.Left
	for _, c := range columns {
		p.Heading(x+1, p.y+1.6, c.width-2, c.align, c.Label)
		x += c.width
	}

	p.y += height
}

func (p *page) drawRow(columns []column, number int, l invoice.Line, name []string) {
	cells := []string{strconv.Itoa(number), "", "buc.", strconv.FormatInt(l.Quantity, 10), amount(l.Price),
		amount(l.Net), amount(l.VAT)}
	x := pdf.Left
	for n, c := range columns {
		texts := []string{cells[n]}
		if n == 1 {
			texts = name
		}

		for line, text := range texts {
			p.Text(x+1, p.y+padding+float64(line)*lineHeight, c.width-2, c.align, lineSize, pdf.Regular, pdf.Ink, text)
		}

		x += c.width
	}
}
