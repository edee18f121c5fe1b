// Package pdf draws invoices for people to read, in Romanian with English beneath.
package pdf

import (
	"bytes"
	"fmt"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"

	"github.com/rodata/rodata/billing/invoice"
)

// Measures are in millimetres on A4.
const (
	left, right, top = 18.0, 192.0, 16.0
	width            = right - left
	bottom           = 276.0 // below it stands the footer
	footer           = 282.0
)

// family is Liberation Sans (SIL Open Font License), which has every Romanian letter.
const family = "liberationsans"

type colour struct{ r, g, b int }

var (
	ink    = colour{24, 28, 36}
	faint  = colour{112, 118, 130}
	hair   = colour{206, 210, 216}
	tint   = colour{243, 245, 248}
	accent = colour{0, 61, 124}

	warning = colour{190, 24, 24}
	pale    = colour{250, 226, 226}
)

// page draws one invoice. Its cursor is y.
type page struct {
	*fpdf.Fpdf
	invoice invoice.Invoice
	y       float64
}

// Render draws an invoice on as many pages as it needs, with its fonts embedded and its XML attached under the
// invoice's number. The output is deterministic.
func Render(i invoice.Invoice, xml []byte) ([]byte, error) {
	p := draw(i, 1)
	if pages := p.PageNo(); pages > 1 { // the number stands on each of them
		p = draw(i, pages)
	}

	p.SetAttachments([]fpdf.Attachment{{Content: xml, Filename: i.Label() + ".xml", Description: "RO e-Factura"}})
	var out bytes.Buffer
	if err := p.Output(&out); err != nil {
		return nil, fmt.Errorf("drawing invoice %s: %w", i.Label(), err)
	}

	return out.Bytes(), nil
}

// draw draws an invoice whose pages say how many there are.
func draw(i invoice.Invoice, pages int) *page {
	p := &page{Fpdf: fpdf.New("P", "mm", "A4", ""), invoice: i}
	p.SetCatalogSort(true) // maps would give every rendering an order of its own
	p.SetCreationDate(i.IssueDate.Time())
	p.SetModificationDate(i.IssueDate.Time())
	p.SetProducer("rodata", true)
	p.SetTitle(title(i).native+" "+i.Label(), true)
	p.SetAuthor(i.Seller.Name, true)
	p.SetLang("ro")
	p.SetMargins(left, top, 210-right)
	p.SetCellMargin(0)
	p.SetAutoPageBreak(false, 0)
	p.AddUTF8FontFromBytes(family, "", liberationsansregular.TTF)
	p.AddUTF8FontFromBytes(family, "B", liberationsansbold.TTF)
	if i.Test {
		p.SetSubject("TEST", false)
		p.SetHeaderFunc(p.markTest)
	}

	p.SetFooterFunc(func() { p.foot(pages) })

	p.AddPage()
	p.head()
	p.parties()
	p.lines()
	p.totals()
	p.mentions()
	return p
}

// markTest marks every page as having no fiscal value: in red at the top, and across the page.
func (p *page) markTest() {
	p.text(left, top-8, width, "L", 9, "B", warning, "TEST: factură de probă, fără valoare fiscală")
	p.text(left, top-8, width, "R", 9, "", warning, "test invoice without fiscal value")
	const x, y, size = (left + right) / 2, 150.0, 150.0
	p.TransformBegin()
	p.TransformRotate(45, x, y)
	p.SetFont(family, "B", size)
	p.SetTextColor(pale.r, pale.g, pale.b)
	p.Text(x-p.GetStringWidth("TEST")/2, y, "TEST")
	p.TransformEnd()
}

// foot draws the last line of every page.
func (p *page) foot(pages int) {
	p.rule(footer-3, hair)
	p.text(left, footer, width, "L", 7, "", faint,
		"Factură valabilă fără semnătură și ștampilă (art. 319 alin. (29) din Codul fiscal)")
	p.text(left, footer+3.4, width, "L", 7, "", faint, "Valid without signature and stamp")
	number := fmt.Sprintf("%d / %d", p.PageNo(), pages)
	p.text(left, footer, width, "R", 7, "", faint, p.invoice.Label()+"  ·  Pagina "+number)
	p.text(left, footer+3.4, width, "R", 7, "", faint, "Page "+number)
}

// room begins a new page when less than height is left on this one, and reports whether it did.
func (p *page) room(height float64) bool {
	if p.y+height <= bottom {
		return false
	}
	p.AddPage()
	p.y = top
	return true
}
