package pdf

import (
	"strings"
	"unicode"

	"github.com/rodata/rodata/billing/invoice"
)

// label is a heading in Romanian and in English.
type label struct{ native, english string }

// text draws one line in a column, aligned L or R.
func (p *page) text(x, y, w float64, align string, size float64, style string, c colour, text string) {
	p.SetFont(family, style, size)
	p.SetTextColor(c.r, c.g, c.b)
	p.SetXY(x, y)
	p.CellFormat(w, size*0.45, drawable(text), "", 0, align+"M", false, 0, "")
}

// heading draws a label, its English smaller and below.
func (p *page) heading(x, y, w float64, align string, l label) {
	p.text(x, y, w, align, 7.5, "B", ink, l.native)
	p.text(x, y+3.4, w, align, 6.5, "", faint, l.english)
}

// wrap splits a text into the lines of a column.
func (p *page) wrap(w, size float64, style, text string) []string {
	p.SetFont(family, style, size)
	return p.SplitText(drawable(text), w)
}

// rule draws a line from margin to margin.
func (p *page) rule(y float64, c colour) {
	p.SetDrawColor(c.r, c.g, c.b)
	p.SetLineWidth(0.2)
	p.Line(left, y, right, y)
}

// drawable replaces what the fonts cannot draw: control characters, and those beyond Unicode's first plane.
func drawable(text string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xFFFF || unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// amount writes money as Romanians do: 1.234,50.
func amount(a invoice.Amount) string {
	whole, cents, _ := strings.Cut(a.String(), ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}

	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "." + whole[at:]
	}
	return sign + whole + "," + cents
}

// day writes a day as Romanians do: 20.11.2026.
func day(d invoice.Date) string { return d.Time().Format("02.01.2006") }

// decimal writes a decimal number as Romanians do: 5,0900.
func decimal(text string) string { return strings.Replace(text, ".", ",", 1) }
