package receipt

import (
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/pdf"
	"github.com/rodata/rodata/ro"
)

// page draws a receipt, a verdict on two pages. Its cursor is y.
type page struct {
	*pdf.Document
	receipt *proof.Receipt
	y       float64
}

const (
	qrWidth = 44.0
	// qrTextWidth is the width of the text beside the QR code.
	qrTextWidth = pdf.Width - qrWidth - 6
	// labelWidth is the width of the column of labels.
	labelWidth = 52.0
)

// drawPage draws a receipt served at a base URL. The output is deterministic.
func drawPage(r *proof.Receipt, baseURL string) ([]byte, error) {
	body, err := bodyOf(&r.Statement)
	if err != nil {
		return nil, err
	}

	p := &page{receipt: r, Document: pdf.New(pdf.Options{
		Title: "Dovada verificării " + r.Statement.Number(), Author: "rodata", Subject: string(r.ID), Date: r.IssuedAt,
	})}

	p.AddPage()
	address := baseURL + "/v1/receipts/" + string(r.ID)
	if err := p.QR(pdf.Right-qrWidth, pdf.Top-4, qrWidth, address); err != nil {
		return nil, err
	}

	p.head()
	body(p)
	p.proof(address)
	return p.Bytes()
}

// bodyOf draws the content of a statement, below the head of its page.
func bodyOf(s *proof.Statement) (func(*page), error) {
	if s.VATNumber != "" {
		check, err := vatCheckOf(s.Status)
		return func(p *page) { p.vatCheck(check) }, err
	}

	if verdict, err := verdictOf(s.Status); err != nil || verdict != nil {
		return func(p *page) {
			p.question(label("Furnizorul, în ziua de", "The supplier, on"))
			p.verdict(verdict)
			p.sources(verdict.Sources)
		}, err
	}

	answer, err := answerOf(s.Status)
	return func(p *page) {
		p.question(label("Starea din ziua de", "The statuses of"))
		p.statuses(answer)
		p.sources(answer.sources)
	}, err
}

func (p *page) head() {
	s := &p.receipt.Statement
	p.Text(pdf.Left, pdf.Top, qrTextWidth, pdf.AtLeft, 20, pdf.Bold, pdf.Accent, "Dovada verificării")
	p.Text(pdf.Left, pdf.Top+9, qrTextWidth, pdf.AtLeft, 10, pdf.Regular, pdf.Faint, "Proof of verification")
	p.y = pdf.Top + 18
	for _, line := range p.Wrap(qrTextWidth, 13, pdf.Bold, s.Name) {
		p.Text(pdf.Left, p.y, qrTextWidth, pdf.AtLeft, 13, pdf.Bold, pdf.Ink, line)
		p.y += 6
	}

	kind := "CUI "
	if s.VATNumber != "" {
		kind = "Cod de TVA "
	}

	p.Text(pdf.Left, p.y, qrTextWidth, pdf.AtLeft, 11, pdf.Regular, pdf.Ink, kind+s.Number())
	p.y = max(p.y+9, pdf.Top+qrWidth)
}

// question describes what was asked about a company on a day.
func (p *page) question(what pdf.Label) {
	s := &p.receipt.Statement
	p.section(label("Ce s-a verificat", "What was verified"))
	p.row(what, day(s.Date))
	known := ro.DateIn(s.RetrievedAt, ro.Bucharest)
	if s.KnownAt != nil {
		known = *s.KnownAt
	}

	p.row(label("așa cum se putea cunoaște la", "as could be known on"), day(known))
}

// names are the labels of the statuses.
var names = [history.StatusCount]pdf.Label{
	history.VATPayer:        label("Plătitor de TVA", "VAT payer"),
	history.VATOnCollection: label("TVA la încasare", "VAT on collection"),
	history.VATSplit:        label("Plată defalcată a TVA", "Split VAT"),
	history.Inactive:        label("Contribuabil inactiv", "Inactive taxpayer"),
	history.EInvoice:        label("Înscris în Registrul RO e-Factura", "In the RO e-Factura register"),
}

func (p *page) statuses(a *answer) {
	p.section(label("Rezultatul", "The result"))
	for s := range history.StatusCount {
		p.row(names[s], a.statuses[s].text())
	}
}

func (p *page) sources(sources []company.Source) {
	p.section(label("Sursele", "The sources"))
	for _, s := range sources {
		p.row(registry(s.Name), age(s))
	}
}

// age describes the day of a source's data, and when it was retrieved.
func age(s company.Source) string {
	var parts []string
	if s.AsOf != nil {
		parts = append(parts, "date la (data of) "+day(*s.AsOf))
	}
	if s.RetrievedAt != nil {
		parts = append(parts, "primite la (received on) "+moment(*s.RetrievedAt))
	}
	if len(parts) == 0 {
		return "fără răspuns (no answer)"
	}

	return strings.Join(parts, ", ")
}

// proof draws the identifiers of the record and of the receipt.
func (p *page) proof(address string) {
	r := p.receipt
	p.section(label("Dovada", "The proof"))
	p.row(label("Datele au fost primite la", "The record was received on"), moment(r.Statement.RetrievedAt))
	p.row(label("SHA-256 al înregistrării primite", "SHA-256 of the record"), r.Statement.RecordSHA256)
	p.row(label("Numărul dovezii", "Id of the receipt"), string(r.ID))
	p.row(label("Semnată la", "Signed on"), moment(r.IssuedAt))
	p.row(label("cu cheia", "with the key"), r.KeyID)
	p.row(label("Se poate consulta și verifica la", "To be consulted and verified at"), address)
	p.y += 4
	for _, line := range p.Wrap(pdf.Width, 7.5, pdf.Regular,
		"Semnătura este a dovezii electronice (JWT), nu a acestei pagini. "+
			"The signature is that of the electronic receipt (JWT), not of this page.") {
		p.Text(pdf.Left, p.y, pdf.Width, pdf.AtLeft, 7.5, pdf.Regular, pdf.Faint, line)
		p.y += 3.6
	}
}

// bottom is the end of the text of a page.
const bottom = 281.0

// need begins another page if the rest of this one is less than a height.
func (p *page) need(height float64) {
	if p.y+height > bottom {
		p.AddPage()
		p.y = pdf.Top
	}
}

// section draws a heading over rows.
func (p *page) section(l pdf.Label) {
	p.need(22)
	p.y += 5
	p.Text(pdf.Left, p.y, pdf.Width, pdf.AtLeft, 10, pdf.Bold, pdf.Accent, l.Native)
	p.Text(pdf.Left, p.y, pdf.Width, pdf.AtRight, 8, pdf.Regular, pdf.Faint, l.English)
	p.y += 6
	p.Rule(p.y, pdf.Hair)
	p.y += 2
}

// row draws a label and a text, each on as many lines as necessary.
func (p *page) row(l pdf.Label, text string) {
	const x, width = pdf.Left + labelWidth + 4, pdf.Width - labelWidth - 4
	labels, lines := p.Wrap(labelWidth, 9, pdf.Regular, l.Native), p.Wrap(width, 8.5, pdf.Bold, text)
	p.need(max(4.6+float64(len(labels))*3.8, float64(len(lines))*4.4))
	next := p.y
	for _, line := range labels {
		p.Text(pdf.Left, next, labelWidth, pdf.AtLeft, 9, pdf.Regular, pdf.Ink, line)
		next += 3.8
	}

	p.Text(pdf.Left, next, labelWidth, pdf.AtLeft, 6.5, pdf.Regular, pdf.Faint, l.English)
	next += 4.6
	for _, line := range lines {
		p.Text(x, p.y, width, pdf.AtLeft, 8.5, pdf.Bold, pdf.Ink, line)
		p.y += 4.4
	}

	p.y = max(p.y+1, next)
}

func label(native, english string) pdf.Label { return pdf.Label{Native: native, English: english} }

// registry returns the name of a registry.
func registry(name string) pdf.Label {
	switch name {
	case "anaf":
		return label("ANAF", "tax authority")
	case "anaf-vat-collection":
		return label("ANAF, registrul TVA la încasare", "tax authority, register of VAT on collection")
	case "vies":
		return label("VIES (Comisia Europeană)", "VIES (European Commission)")
	case "onrc":
		return label("ONRC", "trade register")
	}

	return label(name, "registry")
}

// day formats a day in Romanian style: 20.11.2026.
func day(d ro.Date) string { return d.UTC().Format("02.01.2006") }

// moment formats a time in Romanian local time, with the offset: 20.11.2026, 10:15:00 +02:00.
func moment(t time.Time) string { return t.In(ro.Bucharest).Format("02.01.2006, 15:04:05 -07:00") }
