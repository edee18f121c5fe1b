// Package pdf draws A4 documents for reading and printing. The fonts are embedded and have every Romanian letter, and
// equal documents have equal bytes.
package pdf

import (
	"bytes"
	"fmt"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
)

// Lengths are in millimetres, from the top left corner of an A4 page. Content stays within the margins.
const (
	Left, Right, Top = 18.0, 192.0, 16.0
	Width            = Right - Left

	pageWidth = 210
)

// family is Liberation Sans (SIL Open Font License).
const family = "liberationsans"

// Options are the metadata of a document.
type Options struct {
	Title, Author, Subject string
	// Date is the creation time of the document. It is part of the output.
	Date time.Time
}

// Document is a document to draw on. Its methods draw on the newest page.
type Document struct{ f *fpdf.Fpdf }

// New returns a document without pages.
func New(o Options) *Document {
	f := fpdf.New("P", "mm", "A4", "")
	f.SetCatalogSort(true) // maps would give every rendering a different order
	f.SetCreationDate(o.Date)
	f.SetModificationDate(o.Date)
	f.SetProducer("rodata", true)
	f.SetTitle(o.Title, true)
	f.SetAuthor(o.Author, true)
	f.SetLang("ro")
	f.SetMargins(Left, Top, pageWidth-Right)
	f.SetCellMargin(0)
	f.SetAutoPageBreak(false, 0)
	f.AddUTF8FontFromBytes(family, "", liberationsansregular.TTF)
	f.AddUTF8FontFromBytes(family, "B", liberationsansbold.TTF)
	if o.Subject != "" {
		f.SetSubject(o.Subject, true)
	}

	return &Document{f}
}

// OnEachPage sets what is drawn first and last on every subsequent page; nil for nothing.
func (d *Document) OnEachPage(header, footer func()) {
	d.f.SetHeaderFunc(header)
	d.f.SetFooterFunc(footer)
}

// AddPage begins a page.
func (d *Document) AddPage() { d.f.AddPage() }

// PageNumber returns the number of the newest page, from 1.
func (d *Document) PageNumber() int { return d.f.PageNo() }

// Attach embeds a file.
func (d *Document) Attach(name, description string, content []byte) {
	d.f.SetAttachments([]fpdf.Attachment{{Content: content, Filename: name, Description: description}})
}

// Bytes ends the document and returns it.
func (d *Document) Bytes() ([]byte, error) {
	var out bytes.Buffer
	if err := d.f.Output(&out); err != nil {
		return nil, fmt.Errorf("drawing a PDF: %w", err)
	}
	return out.Bytes(), nil
}
