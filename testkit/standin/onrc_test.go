package standin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

type ckanPackage struct {
	Name      string `json:"name"`
	Modified  string `json:"metadata_modified"`
	Resources []struct {
		Name string `json:"name"`
		URL  string `json:"url"`
		Size int    `json:"size"`
	} `json:"resources"`
}

func packages(t *testing.T, base, query string) []ckanPackage {
	t.Helper()
	var found struct {
		Success bool `json:"success"`
		Result  struct {
			Results []ckanPackage `json:"results"`
		} `json:"result"`
	}
	a := get(t, base+"/api/3/action/package_search?"+query)
	if err := json.Unmarshal([]byte(a.body), &found); err != nil || !found.Success {
		t.Fatalf("%s: %v %s", query, err, a.body)
	}

	return found.Result.Results
}

func names(list []ckanPackage) string {
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

// TestSearch finds packages by their owner and by the words of their names.
func TestSearch(t *testing.T) {
	r := start(t, standin.Options{})
	for query, want := range map[string]string{
		"q=organization:onrc&rows=100": "firme-02-11-2026 firme-02-09-2026 firme-02-10-2026 " +
			"nomenclatoare-02-10-2026",
		"q=firme+organization:onrc":        "firme-02-11-2026 firme-02-09-2026 firme-02-10-2026",
		"q=firme+organization:onrc&rows=1": "firme-02-11-2026",
		"q=nomenclatoare":                  "nomenclatoare-02-10-2026",
		"q=no-such-thing":                  "",
	} {
		if got := names(packages(t, r.ONRC.URL, query)); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}

	bare := start(t, standin.Options{NoNomenclature: true})
	if got := names(packages(t, bare.ONRC.URL, "q=nomenclatoare")); got != "" {
		t.Errorf("nomenclature: %s", got)
	}

	later := start(t, standin.Options{Now: func() time.Time { return noon.AddDate(0, 1, 0) }})
	if got := packages(t, later.ONRC.URL, "q=firme&rows=1"); got[0].Name != "firme-02-12-2026" {
		t.Errorf("a month later: %s", got[0].Name)
	}
}

// The release before the newest complete one has other companies.
func TestPastRelease(t *testing.T) {
	folder, err := standin.WritePastRelease(t.TempDir(), noon)
	testkit.NoError(t, err)

	past, err := os.ReadFile(filepath.Join(folder, "od_firme.csv"))
	testkit.NoError(t, err)

	newest := download(t, start(t, standin.Options{}), "OD_FIRME.CSV").body
	for _, name := range []string{"EXEMPLU CU NUMELE DE DINAINTE", "EXEMPLU CARE A DISPĂRUT"} {
		if !strings.Contains(string(past), name) || strings.Contains(newest, name) {
			t.Errorf("%s: in %s %v, in the newest release %v", name, filepath.Base(folder),
				strings.Contains(string(past), name), strings.Contains(newest, name))
		}
	}
}

// TestShow checks the description of a package, and the 404 for an unknown one.
func TestShow(t *testing.T) {
	r := start(t, standin.Options{})
	show := r.ONRC.URL + "/api/3/action/package_show?id="
	var shown struct {
		Result ckanPackage `json:"result"`
	}
	if err := json.Unmarshal([]byte(get(t, show+"firme-02-10-2026").body), &shown); err != nil ||
		len(shown.Result.Resources) != 6 {
		t.Errorf("%v %+v", err, shown)
	}
	if a := get(t, show+"firme-02-11-2026"); !strings.Contains(a.body, `"resources":[]`) {
		t.Errorf("the newest package has files: %s", a.body)
	}
	if a := get(t, show+"firme-01-01-2001"); a.status != http.StatusNotFound ||
		!strings.Contains(a.body, `"success":false`) {
		t.Errorf("an unknown package: %d %s", a.status, a.body)
	}
}

// TestStatementPackages finds a year's statements under the names of the real packages, from the following July on.
// Their figures are the ones that the tax authority returns for a single company.
func TestStatementPackages(t *testing.T) {
	r := start(t, standin.Options{})
	show := r.ONRC.URL + "/api/3/action/package_show?id="
	for slug, status := range map[string]int{
		"situatii_financiare_2025": 200, "situatii_financiare_2026": 404, "situatii_financiare2023": 200,
		"situatii_financiare_2023": 404,
	} {
		if a := get(t, show+slug); a.status != status {
			t.Errorf("%s: status %d", slug, a.status)
		}
	}

	var shown struct {
		Result ckanPackage `json:"result"`
	}
	if err := json.Unmarshal([]byte(get(t, show+"situatii_financiare_2025").body), &shown); err != nil ||
		len(shown.Result.Resources) != 2 {
		t.Fatalf("%v %+v", err, shown)
	}

	companies, err := standin.Companies()
	testkit.NoError(t, err)

	lines := strings.Split(get(t, shown.Result.Resources[0].URL).body, "\n")
	cells := strings.Split(lines[1], ",")
	if !strings.HasPrefix(lines[0], "CUI,CAEN,I1,") || len(cells) != 22 || cells[0] != companies[0].CUI.String() ||
		cells[1] != "6210" {
		t.Errorf("the file begins %q", lines[:2])
	}

	single := get(t, r.ANAF.URL+"/bilant?an=2025&cui="+cells[0]).body
	if !strings.Contains(single, `"I13","val_indicator":`+cells[14]+",") {
		t.Errorf("the turnover %s is not in %s", cells[14], single)
	}
}

// download fetches a file of the whole release.
func download(t *testing.T, r *standin.Registries, name string, headers ...string) answer {
	t.Helper()
	for _, p := range packages(t, r.ONRC.URL, url.Values{"q": {"organization:onrc"}}.Encode()) {
		for _, res := range p.Resources {
			if res.Name == name && strings.HasSuffix(p.Name, "-02-10-2026") {
				a := get(t, res.URL, headers...)
				if len(headers) == 0 && len(a.body) != res.Size {
					t.Errorf("%s: %d bytes, but %d were announced", name, len(a.body), res.Size)
				}
				return a
			}
		}
	}

	t.Fatalf("no file %s", name)
	return answer{}
}

// rows splits a file after checking its byte order mark and its line ends.
func rows(t *testing.T, text string) []string {
	t.Helper()
	text, marked := strings.CutPrefix(text, "\uFEFF")
	if !marked || !strings.HasSuffix(text, "\r\n") || strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		t.Error("not UTF-8 with a byte order mark and CRLF")
	}

	return strings.Split(strings.TrimSuffix(text, "\r\n"), "\r\n")
}

// TestFirms checks that the main file contains all companies, and the defects of the real one.
func TestFirms(t *testing.T) {
	r := start(t, standin.Options{})
	text := download(t, r, "OD_FIRME.CSV").body
	lines := rows(t, text)
	if got := strings.Count(lines[0], "^"); got != 19 ||
		!strings.HasPrefix(lines[0], "DENUMIRE^CUI^COD_INMATRICULARE^") {
		t.Errorf("header %s", lines[0])
	}

	companies, err := standin.Companies()
	testkit.NoError(t, err)

	for _, c := range companies {
		if !strings.Contains(text, "ROONRC."+c.RegisterNumber+"^"+c.Form+"^") {
			t.Errorf("%s is missing", c.Name)
		}
	}

	const first = "EXEMPLU TRANSILVAN " +
		"SRL^9900000010^J12/101/2012^05/03/2012^ROONRC.J12/101/2012^SRL^România^Cluj^Cluj-Napoca^" +
		"Exemplului^2^^^^^400335^^^www.exemplu1.example^"
	if lines[1] != first {
		t.Errorf("first row %s", lines[1])
	}

	for dirt, sign := range map[string]string{
		"a quoted name":         "\r\n\"",
		"a broken line":         "camera 1,\r\netaj 2",
		"a zero number":         "^0^",
		"a missing number":      "SRL^^J12/9999/1992^^",
		"a person's number":     "^1000000000000^",
		"a time in a date":      " 00:00:00^",
		"a cedilla":             "ţ",
		"a comma below":         "ț",
		"a sector spelled out":  "Bucureşti Sectorul ",
		"a key that is unclean": "^ j",
		"a foreign seat":        "^Olanda^^Amsterdam^",
	} {
		if !strings.Contains(text, sign) {
			t.Errorf("the file lacks %s", dirt)
		}
	}

	if strings.Count(text, "^"+companies[3].CUI.String()+"^") != 2 {
		t.Error("no tax id has two registrations")
	}
	if strings.Count(text, "ROONRC."+companies[8].RegisterNumber+"^") != 2 {
		t.Error("no row is duplicated")
	}

	for _, n := range standin.FaultNumbers {
		if known := strings.Contains(text, n.CUI.String()); known != (n.Status == http.StatusOK) {
			t.Errorf("fault number %d: the trade register lists it: %t", n.CUI, known)
		}
	}
}

// TestRegisterFiles checks the other files: their headers, and a row of each.
func TestRegisterFiles(t *testing.T) {
	r := start(t, standin.Options{})
	for name, want := range map[string][2]string{
		"OD_STARE_FIRMA.CSV": {"COD_INMATRICULARE^COD", "J12/101/2012^1048"},
		"OD_CAEN_AUTORIZAT.CSV": {"COD_INMATRICULARE^COD_CAEN_AUTORIZAT^VER_CAEN_AUTORIZAT",
			"J12/101/2012^6210^3"},
		"OD_REPREZENTANTI_LEGALI.CSV": {"COD_INMATRICULARE^PERSOANA_IMPUTERNICITA^CALITATE^DATA_NASTERE^LOCALITATE_NASTERE^JUDET_NASTERE^TARA_NASTERE^LOCALITATE^JUDET^TARA", "J12/101/2012^EXEMPLU DAN^administrator^02/01/1900^Cluj-Napoca^Cluj^România^Cluj-Napoca^Cluj^România"},
		"OD_REPREZENTANTI_IF.CSV":     {"COD_INMATRICULARE^NUME^DATA_NASTERE^LOCALITATE_NASTERE^JUDET_NASTERE^TARA_NASTERE^CALITATE", "F35/106/2020^EXEMPLU ZOE^03/03/1900^Timișoara^Timiș^România^titular"},
		"OD_SUCURSALE_ALTE_STATE_MEMBRE.CSV": {"COD_INMATRICULARE^TIP_UNITATE^DENUMIRE_SUCURSALA^EUID^COD_FISCAL^TARA",
			"J12/101/2012^sucursala^EXEMPLU BRANCH^HUOCCSZ.00-00-000000^00000000-0-00^Ungaria"},
		"N_STARE_FIRMA.CSV": {"COD^DENUMIRE", "1084^radiată"},
		"N_CAEN.CSV": {"SECTIUNEA^SUBSECTIUNEA^DIVIZIUNEA^GRUPA^CLASA^DENUMIRE^VERSIUNE_CAEN",
			"K^^62^621^6210^Activități de realizare a softului la comandă^3"},
		"N_VERSIUNE_CAEN.CSV": {"COD^DESCRIERE", "3^Versiunea 2025"},
	} {
		lines := rows(t, download(t, r, name).body)
		if lines[0] != want[0] || !strings.Contains(strings.Join(lines, "\n"), "\n"+want[1]) {
			t.Errorf("%s:\n%s", name, strings.Join(lines[:3], "\n"))
		}
	}
}
