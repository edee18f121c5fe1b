package standin_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// firmsOf returns the address of the main file of the whole release.
func firmsOf(t *testing.T, r *standin.Registries) string {
	t.Helper()
	shown := get(t, r.ONRC.URL+"/api/3/action/package_show?id=firme-02-10-2026")
	return regexp.MustCompile(`http://[^"]*/od_firme.csv`).FindString(shown)
}

// TestFirms verifies that the main file contains all companies, in UTF-8 with a byte order mark and CRLF.
func TestFirms(t *testing.T) {
	text := get(t, firmsOf(t, start(t, standin.Options{})))
	if !strings.HasPrefix(text, "\uFEFF") || !strings.HasSuffix(text, "\r\n") ||
		strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		t.Error("not UTF-8 with a byte order mark and CRLF")
	}

	companies, err := standin.Companies()
	testkit.NoError(t, err)

	for _, c := range companies {
		if !strings.Contains(text, "ROONRC."+c.RegisterNumber+"^"+c.Form+"^") {
			t.Errorf("%s is missing", c.Name)
		}
	}
}

// TestPastRelease verifies that the release before the newest complete one lists different companies.
func TestPastRelease(t *testing.T) {
	folder, err := standin.WritePastRelease(t.TempDir(), noon)
	testkit.NoError(t, err)

	past, err := os.ReadFile(filepath.Join(folder, "od_firme.csv"))
	testkit.NoError(t, err)

	newest := get(t, firmsOf(t, start(t, standin.Options{})))
	for _, name := range []string{"EXEMPLU CU NUMELE DE DINAINTE", "EXEMPLU CARE A DISPĂRUT"} {
		if !strings.Contains(string(past), name) || strings.Contains(newest, name) {
			t.Errorf("%s is not only in %s", name, filepath.Base(folder))
		}
	}
}

// TestCollectionFile verifies that the daily file of VAT on collection contains all three kinds of lines.
func TestCollectionFile(t *testing.T) {
	body := get(t, start(t, standin.Options{}).Files.URL+"/static/10/Anaf/TVA_incasare/ultim_20261120.zip")
	archive, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	testkit.NoError(t, err)

	member, err := archive.Open("istoric.txt")
	testkit.NoError(t, err)

	text, err := io.ReadAll(member)
	testkit.NoError(t, err)

	kinds := map[string]int{}
	line := regexp.MustCompile(`^\d+#99000\d{5}#\d{8}#(\d{8})?#\d{8}#\d{8}#([IDE])\n$`)
	for text := range strings.Lines(string(text)) {
		fields := line.FindStringSubmatch(text)
		if fields == nil {
			t.Errorf("the line %q", text)
			continue
		}
		kinds[fields[2]]++
	}

	if kinds["I"] < 20 || kinds["D"] < 5 || kinds["E"] < 5 {
		t.Errorf("kinds of lines: %v", kinds)
	}
}
