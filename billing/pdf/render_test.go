package pdf_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/billing/pdf"
	"github.com/rodata/rodata/billing/ubl"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invoices"
)

// render draws an invoice into a file, twice.
func render(t *testing.T, i invoice.Invoice) (file string, xml []byte) {
	t.Helper()
	xml = testkit.Must(ubl.Encode(i))
	document := testkit.Must(pdf.Render(i, xml))
	again, err := pdf.Render(i, xml)
	if err != nil || !bytes.Equal(document, again) {
		t.Fatalf("two renderings differ: %v", err)
	}

	file = filepath.Join(t.TempDir(), "invoice.pdf")
	testkit.NoError(t, os.WriteFile(file, document, 0o600))

	return file, xml
}

// poppler runs a poppler tool, or skips the test if it is not installed.
func poppler(t *testing.T, tool string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		t.Skipf("%s reads the document back: install poppler-utils", tool)
	}

	out, err := exec.Command(path, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}

	return string(out)
}

func TestPDFShowsInvoice(t *testing.T) {
	always := []string{
		"Înțelepții Datelor Șaptesprezece SRL", "RO99990007", "J2020999907129", "Str. Închipuită nr. 7, ap. 3",
		"400001 Cluj-Napoca, CJ, RO",
		"Seria RDT nr. 00000", "Data emiterii", "Issue date", "Perioada de prestare: 20.11.2026 – 19.12.2026",
		"Pagina 1 / 1",
	}
	for name, want := range map[string][]string{
		"business": {"FACTURĂ", "RDT-0000042", "20.11.2026", "Țesătoria Fără Război SRL", "RO99990015",
			"700002 Iași, IS, RO", "99,00 RON", "TVA 21%", "20,79 RON", "119,79 RON", "Achitată integral la",
			"TOTAL ACHITAT"},
		"unvatted":  {"99990023"},
		"consumer":  {"Ștefana Închipuită", "500003 Brașov, BV, RO"},
		"bucharest": {"030003 București, Sector 3, RO"},
		"union": {"Erfundene Daten GmbH", "DE999999999", "Taxare inversă", "Reverse charge", "29,00 EUR", "TVA 0%",
			"0,00 RON", "147,61 RON"},
		"euro":     {"6,09 EUR", "31,00 RON", "1 EUR = 5,0900 RON, 19.11.2026"},
		"overseas": {"Imaginary Data Inc.", "Neimpozabil în România", "TVA –"},
		"unpaid":   {"Scadentă la", "05.12.2026", "TOTAL DE PLATĂ", "-12,34", "104,86 RON"},
		"test":     {"TEST: factură de probă, fără valoare fiscală", "test invoice without fiscal value", "FACTURĂ"},
		"correction": {"FACTURĂ STORNO", "RDT-0000043", "RDT-0000042", "-20,79 RON", "-119,79 RON",
			"Abonament anulat în termenul de retragere"},
	} {
		t.Run(name, func(t *testing.T) {
			file, _ := render(t, invoices.Examples()[name])
			text := poppler(t, "pdftotext", file, "-")
			for _, want := range append(want, always...) {
				testkit.Contains(t, text, want, "the text")
			}
		})
	}
}

func TestFontsAreEmbedded(t *testing.T) {
	file, _ := render(t, invoices.For(invoices.Business()))
	fonts := strings.Split(strings.TrimSpace(poppler(t, "pdffonts", file)), "\n")[2:]
	if len(fonts) != 2 {
		t.Fatalf("fonts: %q", fonts)
	}

	for _, font := range fonts {
		// The font is embedded as a subset with a Unicode map.
		if !strings.Contains(font, "TrueType") || !strings.Contains(font, "yes no  yes") {
			t.Errorf("font %s", font)
		}
	}

	if info, err := os.Stat(file); err != nil || info.Size() > 80<<10 { // the complete fonts have 800 KiB
		t.Errorf("the document has %d bytes: %v", info.Size(), err)
	}
}

func TestXMLIsAttached(t *testing.T) {
	file, xml := render(t, invoices.For(invoices.Business()))
	testkit.Contains(t, poppler(t, "pdfdetach", "-list", file), "RDT-0000042.xml", "the attachments")

	detached := filepath.Join(t.TempDir(), "detached.xml")
	poppler(t, "pdfdetach", "-save", "1", "-o", detached, file)
	testkit.Equal(t, testkit.Must(os.ReadFile(detached)), xml, "the attachment")
}

func TestManyLongLinesFillSeveralPages(t *testing.T) {
	d := invoices.Draft()
	d.Customer.Name = "Societatea Închipuită pentru Păstrarea și Răspândirea Datelor din Țările de Pretutindeni SRL"
	d.Items = nil
	for n := range 40 {
		name := fmt.Sprintf("Credite suplimentare, tranșa %d, cu un nume care se întinde pe mai multe rânduri ale "+
			"tabelului", n+1)
		d.Items = append(d.Items, invoice.Item{Name: name, Quantity: int64(n + 1), Price: 123456})
	}

	d.Test = true
	file, _ := render(t, invoices.Must(d))
	pages := strings.Split(strings.TrimRight(poppler(t, "pdftotext", "-layout", file, "-"), "\f"), "\f")
	if len(pages) < 3 {
		t.Fatalf("%d pages", len(pages))
	}

	for n, text := range pages {
		if want := fmt.Sprintf("Pagina %d / %d", n+1, len(pages)); !strings.Contains(text, want) ||
			!strings.Contains(text, "Denumirea serviciului") || !strings.Contains(text, "TEST: factură de probă") {
			t.Errorf("page %d lacks %q, the heading of the table, or the mark of a test:\n%s", n+1, want, text)
		}
	}

	all := strings.Join(pages, "\n")
	for n := range 40 {
		testkit.Contains(t, all, fmt.Sprintf("tranșa %d,", n+1), "the text with line %d", n+1)
	}

	testkit.Contains(t, pages[len(pages)-1], "1.224.930,43 RON", "the last page")
}

// All characters can be drawn, because customers choose their names.
func TestEveryTextCanBeDrawn(t *testing.T) {
	for _, name := range []string{"\U00010000", "🧾 & Co", "株式会社", strings.Repeat("x", 200), "a\x01b", "\u202eltr",
		"(\\)"} {
		d := invoices.Draft()
		d.Customer.Name, d.Customer.Address.Street, d.Items[0].Name = name, name, name
		if _, err := pdf.Render(invoices.Must(d), []byte("<Invoice/>")); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}
