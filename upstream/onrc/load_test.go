package onrc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/testkit/traderegister"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// written writes a release of invented firms and returns its directory.
func written(t *testing.T, name string, firms int, clean bool) string {
	t.Helper()
	r := traderegister.Release{Dir: filepath.Join(t.TempDir(), name), Clean: clean}
	testkit.NoError(t, r.Write(traderegister.Firms(firms, 1)))

	return r.Dir
}

// writeStatements writes the yearly statements of a release's firms next to its files, in the format of the Ministry of
// Finance. It includes every firm with a tax id and a main activity. Each file has half of them.
func writeStatements(t *testing.T, dir string, firms, year int) {
	t.Helper()
	header := "CUI,CAEN"
	var legend strings.Builder
	for i, label := range statements.Labels[:20] {
		header += fmt.Sprintf(",I%d", i+1)
		fmt.Fprintf(&legend, "%s;i%d\r\n", label, i+1)
	}

	files := [2]string{"\uFEFF" + header + "\r\n", "\uFEFF" + header + "\r\n"}
	i := 0
	for f := range traderegister.Firms(firms, 1) {
		code, err := strconv.Atoi(f.Main) // 0119 is written as 119
		if f.CUI == 0 || err != nil {
			continue
		}

		line := fmt.Sprintf("%s,%d", f.CUI, code)
		for n := range 20 {
			line += fmt.Sprintf(",%d", (i+1)*(n+1)*100)
		}

		files[i%2] += line + "\r\n"
		i++
	}

	for n, name := range []string{"web_uu_an%d", "web_bl_bs_sl_an%d"} {
		name = filepath.Join(dir, fmt.Sprintf(name, year))
		testkit.NoError(t, errors.Join(os.WriteFile(name+".txt", []byte(files[n]), 0o600),
			os.WriteFile(name+".csv", []byte(legend.String()), 0o600)))
	}
}

func mustLoad(t *testing.T, o Options) *Summary {
	t.Helper()
	s, err := Load(t.Context(), o)
	testkit.NoError(t, err)

	return s
}

func mustOpen(t *testing.T, dir string) *Register {
	t.Helper()
	r := Open(RegisterOptions{Dir: dir})
	t.Cleanup(func() { r.Close() })
	return r
}

// served returns the number of companies that a register serves, and their release.
func served(t *testing.T, dir string) (int, string) {
	t.Helper()
	r := mustOpen(t, dir)
	n := 0
	err := r.Read(func(x *search.Index, _ ro.Date) error { n = x.Len(); return nil })
	testkit.NoError(t, err)

	return n, r.DataThrough().String()
}

func TestLoad(t *testing.T) {
	const n = 3000
	for name, clean := range map[string]bool{"clean": true, "with the dirt of the real one": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustLoad(t, Options{From: written(t, "firme-02-09-2026", n, clean), Dir: dir})
			if s.Companies != n || s.Release.String() != "2026-09-02" || len(s.Warnings)+len(s.Missing) > 0 {
				t.Errorf("the summary is %+v", s)
			}

			r := mustOpen(t, dir)
			err := r.Read(func(x *search.Index, day ro.Date) error {
				if day.String() != "2026-09-02" || x.Len() != n {
					t.Errorf("%d companies of %s are served", x.Len(), day)
				}

				for f := range traderegister.Firms(n, 1) {
					number, _ := tradenumber.Parse(f.Number)
					found := x.ByNumber(number)
					if len(found) != 1 {
						t.Fatalf("%d companies have the number %s", len(found), f.Number)
					}

					sameFirm(t, found[0], f, clean)
				}

				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "loading", "*")); len(left) > 0 {
				t.Errorf("the load left %v", left)
			}
		})
	}
}

// sameFirm compares a company of the index with the invented one.
func sameFirm(t *testing.T, got search.Firm, f traderegister.Firm, clean bool) {
	t.Helper()
	ranks := ranks(nil)
	var worst uint8
	for _, code := range f.States {
		worst = max(worst, ranks[strconv.Itoa(code)])
	}

	var codes []string
	for _, a := range f.Activities {
		if code := fmt.Sprintf("%d:%s", a.Revision, a.Class); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}

	want := search.Firm{
		TaxID: f.CUI, Name: f.Name, Number: f.Number, EUID: "ROONRC." + f.Number, Registered: f.Registered,
		State: search.States[worst], County: f.Place.CountyID, Codes: codes, PostalCode: f.PostalCode,
		Website: f.Website,
	}
	got.Name = strings.Join(strings.Fields(got.Name), " ")
	want.Name = strings.Join(strings.Fields(want.Name), " ")
	slices.Sort(got.Codes)
	slices.Sort(want.Codes)
	for field, pair := range map[string][2]any{
		"tax id": {got.TaxID, want.TaxID}, "name": {got.Name, want.Name}, "number": {got.Number, want.Number},
		"EUID": {got.EUID, want.EUID},
		"day":  {got.Registered, want.Registered}, "state": {got.State, want.State},
		"county": {got.County, want.County},
		"codes":  {fmt.Sprint(got.Codes), fmt.Sprint(want.Codes)}, "postal code": {got.PostalCode, want.PostalCode},
		"web site": {got.Website, want.Website},
	} {
		if pair[0] != pair[1] {
			t.Errorf("the %s of %s is %v, want %v", field, f.Number, pair[0], pair[1])
		}
	}
	// A place name is not resolved if several places in the county have it.
	if got.SIRUTA != 0 && got.SIRUTA != f.Place.SIRUTACode && got.City != f.Place.Name || got.City != f.Place.Name {
		t.Errorf("the place of %s is %s (%d), want %s (%d)", f.Number, got.City, got.SIRUTA, f.Place.Name,
			f.Place.SIRUTACode)
	}

	persons, err := ExtraOf(got)
	testkit.NoError(t, err)
	if n := len(persons.Governance) + len(persons.Procedural); clean && n != distinct(f.Persons) {
		t.Errorf("%s has %d representatives, want those of %+v", f.Number, n, f.Persons)
	}
}

func distinct(persons []traderegister.Person) int {
	seen := map[[2]string]bool{}
	for _, p := range persons {
		seen[[2]string{p.Name, p.Role}] = true
	}
	return len(seen)
}

// lastOfStep replaces the progress of the last step, or starts another.
func lastOfStep(steps []Progress, p Progress) []Progress {
	if len(steps) > 0 && steps[len(steps)-1].Step == p.Step {
		steps = steps[:len(steps)-1]
	}
	return append(steps, p)
}

// Every step of a load counts in its own unit, and ends complete.
func TestProgressEndsComplete(t *testing.T) {
	from := written(t, "firme-02-09-2026", 500, false)
	var ends []Progress
	s := mustLoad(t, Options{From: from, Dir: t.TempDir(), Progress: func(p Progress) { ends = lastOfStep(ends, p) }})
	var read, rows int64
	for _, n := range s.Bytes {
		read += n
	}

	for _, p := range ends {
		if p.Percent() != 100 || p.Done != p.Total {
			t.Errorf("%s ended at %d %%, %d of %d %s", p.Step, p.Percent(), p.Done, p.Total, p.Unit)
		}
		if p.Unit == "rows" {
			rows = p.Done
		}
	}

	if first := ends[0]; first.Step != "reading the files" || first.Done != read {
		t.Errorf("%s: %d %s, want %d bytes", first.Step, first.Done, first.Unit, read)
	}
	if rows <= s.Companies {
		t.Errorf("%d rows were joined to %d companies", rows, s.Companies)
	}
	if last := ends[len(ends)-1]; last.Unit != "companies" || last.Done != s.Companies {
		t.Errorf("%s: %d %s, want %d companies", last.Step, last.Done, last.Unit, s.Companies)
	}
}

func TestLoadFromThePortal(t *testing.T) {
	registry, portal := standIn(t, standin.Options{})
	dir := t.TempDir()
	s := mustLoad(t, Options{Portal: portal, Dir: dir})
	companies, err := standin.Companies()
	testkit.NoError(t, err)
	// The register also has four firms that are not listed, and the one that the tax authority omits.
	if s.Companies != int64(len(companies))+5 || s.Release.String() != "2026-10-02" || len(s.Missing) > 0 {
		t.Errorf("the summary is %+v", s)
	}

	err = mustOpen(t, dir).Read(func(x *search.Index, _ ro.Date) error {
		for _, c := range companies {
			number, _ := tradenumber.Parse(c.RegisterNumber)
			found := x.ByNumber(number)
			if len(found) != 1 || number.New() == "" || !strings.HasPrefix(strings.Trim(found[0].Name, `"`), c.Name) {
				t.Errorf("%s is %+v", c.RegisterNumber, found)
			}
		}

		if first := x.ByTaxID(companies[0].CUI); len(first) != 1 || first[0].Main != "6210" {
			t.Errorf("the statements do not have the activity of %+v", first)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}

	asked := registry.Requests().Requests
	if again, err := Load(t.Context(), Options{Portal: portal, Dir: dir}); !errors.Is(err, ErrCurrent) ||
		again.Companies != s.Companies {
		t.Errorf("loading again gave %+v, %v", again, err)
	}
	if n := registry.Requests().Requests - asked; n != 1+2*17 { // two packages of each year since 2009
		t.Errorf("finding nothing new took %d requests", n)
	}

	for year := 2009; year <= 2025; year++ {
		wantStatements(t, dir, year)
	}
}

// wantStatements checks that the statements of small and of other companies of a year are loaded.
func wantStatements(t *testing.T, dir string, year int) {
	t.Helper()
	store, err := statements.Open(StatementsDir(dir))
	testkit.NoError(t, err)
	defer store.Close()

	for _, family := range []company.SheetForm{company.SmallForm, company.LargeForm} {
		key := statements.Key{Year: year, Family: family}
		if coverage, _ := store.Coverage(key); coverage != company.FileLoaded {
			t.Errorf("the statements %s are %s", key, coverage)
		}
	}
}

func TestLoadThroughFaults(t *testing.T) {
	registry, portal := standIn(t, standin.Options{})
	// The first request lists the packages; the files follow, two at a time.
	registry.Queue(standin.Fault{}, standin.Truncate, standin.Reset, standin.Status(500, 0),
		standin.WAF, standin.Maintenance, standin.Truncate)
	if s := mustLoad(t, Options{Portal: portal, Dir: t.TempDir()}); s.Companies != 245 {
		t.Errorf("%d companies were loaded", s.Companies)
	}
}

func TestIncompleteFolder(t *testing.T) {
	from := written(t, "firme-02-09-2026", 10, true)
	testkit.NoError(t, os.Remove(filepath.Join(from, "od_stare_firma.csv")))
	if _, err := Load(t.Context(), Options{From: from, Dir: t.TempDir()}); err == nil ||
		!strings.Contains(err.Error(), "OD_STARE_FIRMA") {
		t.Errorf("the error is %v", err)
	}
}

func TestWithoutRepresentatives(t *testing.T) {
	from := written(t, "firme-02-09-2026", 100, true)
	testkit.NoError(t, os.Remove(filepath.Join(from, "od_reprezentanti_legali.csv")))

	s := mustLoad(t, Options{From: from, Dir: t.TempDir()})
	if s.Companies != 100 || !slices.Equal(s.Missing, []string{"OD_REPREZENTANTI_LEGALI"}) {
		t.Errorf("the summary is %+v", s)
	}
}

// TestStatementOfACompanyInTwoFiles verifies that the order of the families decides, not chance.
func TestStatementOfACompanyInTwoFiles(t *testing.T) {
	from := written(t, "firme-02-09-2026", 10, true)
	writeStatements(t, from, 0, 2025) // the legends
	figures := strings.Repeat(",1", 20)
	for name, activity := range map[string]string{"web_bl_bs_sl_an2025.txt": "6210", "web_uu_an2025.txt": "119"} {
		content := "9900000010," + activity + figures + "\r\n"
		testkit.NoError(t, os.WriteFile(filepath.Join(from, name), []byte(content), 0o600))
	}

	for range 8 {
		dir := t.TempDir()
		mustLoad(t, Options{From: from, Dir: dir})
		store, err := statements.Open(StatementsDir(dir))
		testkit.NoError(t, err)

		found, err := store.Of(9900000010)
		testkit.NoError(t, errors.Join(err, store.Close()))
		if len(found) != 1 || found[0].Activity != "6210" {
			t.Fatalf("the statements are %+v, want that of the large companies", found)
		}
	}
}

func TestMainActivitiesOfStatements(t *testing.T) {
	dir, from := t.TempDir(), written(t, "firme-02-09-2026", 200, true)
	const year = 2025
	writeStatements(t, from, 200, year)
	mustLoad(t, Options{From: from, Dir: dir})
	store, err := statements.Open(StatementsDir(dir))
	testkit.NoError(t, err)
	defer store.Close()

	err = mustOpen(t, dir).Read(func(x *search.Index, _ ro.Date) error {
		known := 0
		for f := range traderegister.Firms(200, 1) {
			if f.CUI == 0 || f.Main == "" || len(x.ByTaxID(f.CUI)) > 1 {
				continue
			}

			known++
			if got := x.ByTaxID(f.CUI); len(got) != 1 || got[0].Main != f.Main {
				t.Errorf("the main activity of %s comes from %+v, want %s", f.CUI, got, f.Main)
			}
			if filed, err := store.Of(f.CUI); err != nil || len(filed) != 1 || filed[0].File.Key.Year != year {
				t.Errorf("the statements of %s are %+v, %v", f.CUI, filed, err)
			}
		}

		if known == 0 {
			t.Error("no firm has a main activity")
		}

		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
