package standin_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

const collectionPath = "/static/10/Anaf/TVA_incasare/ultim_"

// lines returns the lines of the daily file.
func lines(t *testing.T, a answer) []string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		t.Fatalf("status %d: %v", a.status, err)
	}

	member, err := archive.Open("istoric.txt")
	testkit.NoError(t, err)

	text, err := io.ReadAll(member)
	testkit.NoError(t, err)

	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestCollectionFile(t *testing.T) {
	r := start(t, standin.Options{})
	today := get(t, r.Files.URL+collectionPath+"20261120.zip")
	kinds := map[string]int{}
	for _, line := range lines(t, today) {
		fields := strings.Split(line, "#")
		if len(fields) != 7 || !strings.HasPrefix(fields[1], "99000") || len(fields[5]) != 8 {
			t.Errorf("the line %q", line)
		}

		kinds[fields[6]]++
	}

	if kinds["I"] < 20 || kinds["D"] < 5 || kinds["E"] < 5 {
		t.Errorf("kinds of lines: %v", kinds)
	}

	again := get(t, r.Files.URL+collectionPath+"20261120.zip", "If-None-Match", today.header.Get("ETag"))
	if again.status != http.StatusNotModified {
		t.Errorf("the same file again: status %d", again.status)
	}

	for _, day := range []string{"20261121", "20261110", "2026112", "20261320"} {
		if a := get(t, r.Files.URL+collectionPath+day+".zip"); a.status != http.StatusNotFound {
			t.Errorf("%s: status %d", day, a.status)
		}
	}
}

// TestCollectionOfTheOrdinaryRecord compares the tax authority's record with the company.
func TestCollectionOfTheOrdinaryRecord(t *testing.T) {
	r := start(t, standin.Options{})
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	acts, day := map[string]int{}, ro.DateIn(noon, ro.Bucharest)
	for _, c := range companies {
		var answer struct {
			Found []struct {
				Collection struct {
					From    string `json:"dataInceputTvaInc"`
					To      string `json:"dataSfarsitTvaInc"`
					Act     string `json:"tipActTvaInc"`
					Applies bool   `json:"statusTvaIncasare"`
				} `json:"inregistrare_RTVAI"`
			} `json:"found"`
		}
		a, err := post(t, r, fmt.Sprintf(`[{"cui":%d,"data":"%s"}]`, c.CUI, day))
		testkit.NoError(t, err)
		if err := json.Unmarshal([]byte(a.body), &answer); err != nil || len(answer.Found) != 1 {
			t.Fatalf("%s: %v %s", c.CUI, err, a.body)
		}

		got := answer.Found[0].Collection
		acts[got.Act]++
		if got.Applies != c.OnCollection || c.CollectsVAT(day) != c.OnCollection || got.Applies && got.To != "" ||
			got.From == "" && got.Act != "" || got.Act == "Radiere" && got.To == "" {
			t.Errorf("%s: %+v, but the company pays VAT on collection: %t", c.CUI, got, c.OnCollection)
		}
	}

	if acts["Inregistrare"] == 0 || acts["Radiere"] == 0 || acts["Decizie"] == 0 {
		t.Errorf("acts: %v", acts)
	}
}
