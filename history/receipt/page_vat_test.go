package receipt_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// The receipt of a VAT number names that number, in the JWT and on the page.
func TestReceiptOfVATNumber(t *testing.T) {
	i := open(t, openPlace(t, filepath.Join(t.TempDir(), "history.db")), &clock{start})
	r := issue(t, i, proof.Statement{
		VATNumber: "DE445947920", Date: ro.NewDate(2026, time.November, 22), RetrievedAt: start,
		RecordSHA256: strings.Repeat("0a", 32),
		Status:       proof.Certified(`{"vatNumber":"DE445947920","status":"valid","requestDate":"2026-11-22T08:15:30Z","requester":"RO9900000010","consultationNumber":"WAPIAAAAX1","address":null}`),
	})
	_, claims, valid := verify(rendered(t, r, "application/jwt"), jwks(t, i))
	if !valid || claims["sub"] != "DE445947920" {
		t.Errorf("the subject is %v, valid %t", claims["sub"], valid)
	}
	if s := claims["statement"].(map[string]any); s["vatNumber"] != "DE445947920" || s["taxId"] != nil {
		t.Errorf("the statement is %v", s)
	}

	file := filepath.Join(t.TempDir(), "receipt.pdf")
	testkit.NoError(t, os.WriteFile(file, rendered(t, r, "application/pdf"), 0o600))

	pdftotext, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext reads the document back: install poppler-utils")
	}

	text, err := exec.Command(pdftotext, "-layout", file, "-").Output()
	testkit.NoError(t, err)

	for _, want := range []string{"Cod de TVA DE445947920", "valid", "WAPIAAAAX1", "RO9900000010",
		"VIES (Comisia Europeană)", string(r.ID)} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}

	if strings.Contains(string(text), "invalid") {
		t.Errorf("the page calls a valid number invalid:\n%s", text)
	}
}
