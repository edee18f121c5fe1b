package efactura

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// pack builds an archive from names and contents.
func pack(t testing.TB, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for n := 0; n < len(files); n += 2 {
		w := testkit.Must(z.Create(files[n]))
		testkit.NoError(t, testkit.Err(w.Write([]byte(files[n+1]))))
	}

	testkit.NoError(t, z.Close())

	return out.Bytes()
}

const anInvoice = `<Invoice xmlns:cbc="urn:b" xmlns:cac="urn:a"><cbc:ID> RDT-0000042 </cbc:ID><cac:Line><cbc:ID>1</cbc:ID></cac:Line></Invoice>`

func TestArchives(t *testing.T) {
	for name, test := range map[string]struct {
		body   []byte
		number string
		errors string
		wrong  string
	}{
		"an invoice": {pack(t, "semnatura_1.xml", "<Signature/>", "1.xml", anInvoice), "RDT-0000042", "", ""},
		"errors": {pack(t, "1.xml",
			`<header><Error errorMessage="one "/><Error errorMessage="two"/></header>`), "", "one; two", ""},
		"no zip":            {[]byte("PK nothing"), "", "", "not a valid zip"},
		"nothing within":    {pack(t), "", "", "no document"},
		"a signature alone": {pack(t, "semnatura_1.xml", "<Signature/>"), "", "", "no document"},
		"too many files":    {pack(t, strings.Split(strings.Repeat("a.txt,x,", 17), ",")[:34]...), "", "", "17 files"},
		"half a document":   {pack(t, "1.xml", anInvoice[:60]), "", "", "unexpected EOF"},
		"a bomb":            {pack(t, "1.xml", strings.Repeat(" ", maxEntry+1)), "", "", "larger than"},
	} {
		a, err := readArchive(test.body)
		if test.wrong != "" {
			testkit.ErrorSays(t, err, test.wrong, name)
			continue
		}

		if err != nil || a.Number != test.number || strings.Join(a.Errors, "; ") != test.errors ||
			!bytes.Equal(a.ZIP, test.body) {
			t.Errorf("%s: number %q, errors %q, %v", name, a.Number, a.Errors, err)
		}
	}
}

// FuzzAnswers verifies that no response of the service causes a panic.
func FuzzAnswers(f *testing.F) {
	f.Add(pack(f, "1.xml", anInvoice))
	f.Add([]byte(anInvoice))
	f.Add([]byte(`<header stare="ok" id_descarcare="1"><Errors errorMessage="x"/></header>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if a, err := readArchive(body); err == nil && a.ZIP == nil {
			t.Error("an archive without its bytes")
		}

		_, _, _ = readDocument(body)
		var h header
		if xml.Unmarshal(body, &h) == nil {
			_ = classify(h.message(), Refused)
		}
	})
}
