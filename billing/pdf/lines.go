package pdf

import (
	"strconv"

	"github.com/rodata/rodata/billing/invoice"
)

// column is a column of the table.
type column struct {
	label
	width float64
	align string
}

const (
	lineSize   = 8.5 // points
	lineHeight = 4.2
	padding    = 1.6
)

func (p *page) columns() []column {
	i := p.invoice
	return []column{
		{label{"Nr.", "No."}, 9, "L"},
		{label{"Denumirea serviciului", "Description"}, 67, "L"},
		{label{"U.M.", "Unit"}, 10, "L"},
		{label{"Cant.", "Qty"}, 14, "R"},
		{label{"Preț unitar", "Unit price, " + i.Currency}, 24, "R"},
		{label{"Valoare", "Net, " + i.Currency}, 25, "R"},
		{label{"TVA " + rate(i), "VAT, " + i.Currency}, 25, "R"},
	}
}

// lines draws the table of items, and repeats its heading on every page.
func (p *page) lines() {
	columns := p.columns()
	p.tableHead(columns)
	for n, l := range p.invoice.Lines {
		name := p.wrap(columns[1].width-2, lineSize, "", l.Name)
		height := float64(len(name))*lineHeight + 2*padding
		if p.room(height) {
			p.tableHead(columns)
		}

		p.row(columns, n+1, l, name)
		p.y += height
		p.rule(p.y, hair)
	}

	p.y += 5
}

func (p *page) tableHead(columns []column) {
	const height = 9.5
	p.SetFillColor(tint.r, tint.g, tint.b)
	p.Rect(left, p.y, width, height, "F")
	x := left
	for _, c := range columns {
		p.heading(x+1, p.y+1.6, c.width-2, c.align, c.label)
		x += c.width
	}

	p.y += height
}

func (p *page) row(columns []column, number int, l invoice.Line, name []string) {
	cells := []string{strconv.Itoa(number), "", "buc.", strconv.FormatInt(l.Quantity, 10), amount(l.Price),
		amount(l.Net), amount(l.VAT)}
	x := left
	for n, c := range columns {
		texts := []string{cells[n]}
		if n == 1 {
			texts = name
		}

		for line, text := range texts {
			p.text(x+1, p.y+padding+float64(line)*lineHeight, c.width-2, c.align, lineSize, "", ink, text)
		}
		x += c.width
	}
}
