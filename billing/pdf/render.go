// Package pdf draws invoices for printing, in Romanian with English below.
package pdf

import (
	"fmt"

	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/pdf"
)

// Measures are in millimetres on A4.
const (
	bottom = 276.0 // the footer is below this line
	footer = 282.0
)

var (
	warning = pdf.Colour{R: 190, G: 24, B: 24}
	pale    = pdf.Colour{R: 250, G: 226, B: 226}
)

// page is an invoice being drawn. Its cursor is y.
type page struct {
	*pdf.Document
	invoice invoice.Invoice
	y       float64
}

// Render draws an invoice on as many pages as necessary, with its XML attached under the invoice's number.
func Render(i invoice.Invoice, xml []byte) ([]byte, error) {
	p := draw(i, 1)
	if pages := p.PageNumber(); pages > 1 { // the page number is on each page
		p = draw(i, pages)
	}

	p.Attach(i.Label()+".xml", "RO e-Factura", xml)
	document, err := p.Bytes()
	if err != nil {
		return nil, fmt.Errorf("drawing invoice %s: %w", i.Label(), err)
	}

	return document, nil
}

// draw draws an invoice with a known number of pages.
func draw(i invoice.Invoice, pages int) *page {
	o := pdf.Options{Title: title(i).Native + " " + i.Label(), Author: i.Seller.Name, Date: i.IssueDate.Time()}
	if i.Test {
		o.Subject = "TEST"
	}

	p := &page{Document: pdf.New(o), invoice: i}
	var header func()
	if i.Test {
		header = p.markTest
	}

	p.OnEachPage(header, func() { p.drawFoot(pages) })
	p.AddPage()
	p.drawHead()
	p.drawParties()
	p.drawLines()
	p.drawTotals()
	p.drawMentions()
	return p
}

// markTest marks every page as having no fiscal value: in red at the top, and across the page.
func (p *page) markTest() {
	p.Text(pdf.Left, pdf.Top-8, pdf.Width, pdf.AtLeft, 9, pdf.Bold, warning,
		"TEST: factură de probă, fără valoare fiscală")
	p.Text(pdf.Left, pdf.Top-8, pdf.Width, pdf.AtRight, 9, pdf.Regular, warning, "test invoice without fiscal value")
	p.Watermark("TEST", 150, pale)
}

func (p *page) drawFoot(pages int) {
	p.Rule(footer-3, pdf.Hair)
	p.Text(pdf.Left, footer, pdf.Width, pdf.AtLeft, 7, pdf.Regular, pdf.Faint,
		"Factură valabilă fără semnătură și ștampilă (art. 319 alin. (29) din Codul fiscal)")
	p.Text(pdf.Left, footer+3.4, pdf.Width, pdf.AtLeft, 7, pdf.Regular, pdf.Faint, "Valid without signature and stamp")
	number := fmt.Sprintf("%d / %d", p.PageNumber(), pages)
	p.Text(pdf.Left, footer, pdf.Width, pdf.AtRight, 7, pdf.Regular, pdf.Faint, p.invoice.Label()+"  ·  Pagina "+number)
	p.Text(pdf.Left, footer+3.4, pdf.Width, pdf.AtRight, 7, pdf.Regular, pdf.Faint, "Page "+number)
}

// ensureRoom starts a new page if less than height is left on this one, and reports whether it did.
func (p *page) ensureRoom(height float64) bool {
	if p.y+height <= bottom {
		return false
	}

	p.AddPage()
	p.y = pdf.Top
	return true
}
