package bulk

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/traderegister"
	"github.com/rodata/rodata/upstream/onrc"
)

const firms = 300

// loaded loads a release into the directory of a register. The day has the format 02-09-2026.
func loaded(t *testing.T, dir, day string, all iter.Seq[traderegister.Firm]) {
	t.Helper()
	from := traderegister.Release{Dir: filepath.Join(t.TempDir(), "firme-"+day), Clean: true}
	testkit.NoError(t, from.Write(all))
	if _, err := onrc.Load(t.Context(), onrc.Options{From: from.Dir, Dir: dir, Force: true}); err != nil {
		t.Fatal(err)
	}
}

// updated creates the files of the register's release.
func updated(t *testing.T, dir string, keep int) *Files {
	t.Helper()
	register := onrc.Open(onrc.RegisterOptions{Dir: dir})
	t.Cleanup(func() { register.Close() })
	f, err := Open(Options{Register: register, Dir: filepath.Join(dir, "releases"), Keep: keep,
		Logger: slog.New(slog.DiscardHandler)})
	testkit.NoError(t, err)
	testkit.NoError(t, f.Update(t.Context()))

	return f
}

// content reads a file of a release.
func content(t *testing.T, f *Files, release ro.Date, name string) []byte {
	t.Helper()
	document, err := f.File(release, name)
	if err != nil {
		t.Fatalf("%s of %s: %v", name, release, err)
	}

	body, err := os.ReadFile(document.File.Path)
	testkit.NoError(t, err)

	return body
}

// rowsOf reads the rows of a Parquet file.
func rowsOf(t *testing.T, file []byte) (p *table.Parquet, rows [][]string) {
	t.Helper()
	p, err := table.OpenParquet(bytes.NewReader(file), int64(len(file)))
	testkit.NoError(t, err)

	t.Cleanup(func() { p.Close() })
	for {
		row, err := p.Read()
		if errors.Is(err, io.EOF) {
			return p, rows
		}
		testkit.NoError(t, err)

		rows = append(rows, slices.Clone(row))
	}
}

var september, october = ro.NewDate(2026, 9, 2), ro.NewDate(2026, 10, 2)

func TestReleaseIsTheIndex(t *testing.T) {
	dir := t.TempDir()
	loaded(t, dir, "02-09-2026", traderegister.Firms(firms, 1))
	f := updated(t, dir, 3)

	p, rows := rowsOf(t, content(t, f, september, "companies.parquet"))
	if !slices.Equal(p.Columns(), columns) || p.Note("date") != "2026-09-02" ||
		p.Note("licence") != company.OpenDataLicence || p.Note("attribution") == "" {
		t.Errorf("the columns are %v, of %q, attribution %q", p.Columns(), p.Note("date"), p.Note("attribution"))
	}

	var want [][]string
	err := f.Register.Read(func(x *search.Index, _ ro.Date) error {
		for doc := range uint32(x.Len()) {
			firm := x.At(doc)
			want = append(want, appendCells(nil, &firm))
		}
		return nil
	})
	if err != nil || len(want) != firms {
		t.Fatalf("the index has %d companies, %v", len(want), err)
	}
	if !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("the rows are %q", rows)
	}

	compressed := content(t, f, 0, "companies.csv.zst")
	facts := []string{"source: " + company.TradeRegisterName, "address: " + company.TradeRegisterAddress,
		"date: 2026-09-02",
		"attribution: " + company.TradeRegisterAttribution, "licence: " + company.OpenDataLicence}
	if !bytes.HasSuffix(compressed, []byte("\n"+strings.Join(facts, "\n")+"\n")) {
		t.Errorf("the CSV ends with %q", compressed[max(0, len(compressed)-300):])
	}

	text, err := table.Decompress(bytes.NewReader(compressed))
	testkit.NoError(t, err)
	defer text.Close()

	lines, err := csv.NewReader(text).ReadAll()
	if err != nil || !slices.EqualFunc(lines[1:], want, slices.Equal) || lines[0][0] != "taxId" {
		t.Errorf("the CSV has %d lines, %v", len(lines), err)
	}
}

func TestReleaseIsListed(t *testing.T) {
	dir := t.TempDir()
	loaded(t, dir, "02-09-2026", traderegister.Firms(firms, 1))
	f := updated(t, dir, 3)
	list := f.List()
	if len(list) != 1 || list[0].Date != september || list[0].Companies != firms || list[0].ChangesSince != nil ||
		len(list[0].Files) != 2 {
		t.Fatalf("the list is %+v", list)
	}

	for _, file := range list[0].Files {
		if body := content(t, f, september, file.Name); int64(len(body)) != file.Bytes || file.Rows != firms ||
			file.Path != "/v1/releases/2026-09-02/"+file.Name || len(file.SHA256) != 64 {
			t.Errorf("%+v has %d bytes", file, len(body))
		}
	}

	again, err := Open(f.Options)
	if err != nil || fmt.Sprint(again.List()) != fmt.Sprint(list) {
		t.Errorf("after a restart the list is %v, %v", again.List(), err)
	}

	for _, unknown := range []struct {
		release ro.Date
		name    string
	}{{october, "companies.parquet"}, {september, "changes.parquet"}, {september, "release.json"},
		{september, "../release.json"}} {
		if _, err := f.File(unknown.release, unknown.name); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("%s of %s: %v", unknown.name, unknown.release, err)
		}
	}
}

// month returns the firms of a release and of the previous one. Since then the first firm was removed, the second was
// renamed, the third moved, and one was added.
func month(t *testing.T) (all []traderegister.Firm, before []traderegister.Firm) {
	t.Helper()
	before = slices.Collect(traderegister.Firms(firms, 1))
	all = slices.Clone(before[1:])
	all[0].Name = "EXEMPLU CU NUME NOU SRL"
	all[1].Street, all[1].House = "Strada Exemplului Nouă", "7"
	later := slices.Collect(traderegister.Firms(firms+1, 1))
	return append(all, later[firms]), before
}

func TestChangesBetweenReleases(t *testing.T) {
	dir := t.TempDir()
	later, before := month(t)
	loaded(t, dir, "02-09-2026", slices.Values(before))
	updated(t, dir, 3)
	loaded(t, dir, "02-10-2026", slices.Values(later))
	f := updated(t, dir, 3)

	list := f.List()
	if len(list) != 2 || list[0].ChangesSince == nil || *list[0].ChangesSince != september {
		t.Fatalf("the list is %+v", list)
	}

	p, rows := rowsOf(t, content(t, f, october, "changes.parquet"))
	if p.Note("since") != "2026-09-02" || list[0].Files[2].Rows != len(rows) {
		t.Errorf("since %q, %d rows of %+v", p.Note("since"), len(rows), list[0].Files[2])
	}

	found := map[string][]string{}
	for _, row := range rows {
		found[row[0]+" "+row[4]] = append(found[row[0]+" "+row[4]], row[3])
	}

	if len(rows) != 4 || len(found["removed "]) != 1 || len(found["added "]) != 1 ||
		len(found["changed address"]) != 1 ||
		!slices.Equal(found["changed name"], []string{"EXEMPLU CU NUME NOU SRL"}) {
		t.Errorf("the changes are %q", rows)
	}

	for _, row := range rows {
		switch row[0] + " " + row[4] {
		case "changed name":
			if row[5] == "" || row[6] != "EXEMPLU CU NUME NOU SRL" {
				t.Errorf("the name: %q", row)
			}
		case "changed address":
			if !strings.Contains(row[6], "Strada Exemplului Nouă, nr. 7") || strings.Contains(row[5], "Nouă") {
				t.Errorf("the address: %q", row)
			}
		}
	}
}

// TestBothNumberFormatsAreTheSameCompany verifies that a company is found by its number in both formats.
func TestBothNumberFormatsAreTheSameCompany(t *testing.T) {
	old := traderegister.Firm{Name: "EXEMPLU SRL", Form: "SRL", Number: "J40/15812/2017"}
	renumbered := old
	renumbered.Number = "J2017015812405"
	var others []traderegister.Firm
	for f := range traderegister.Firms(firms, 1) {
		others = append(others, f)
	}

	old.Place, old.States, old.Registered = others[0].Place, others[0].States, others[0].Registered
	renumbered.Place, renumbered.States, renumbered.Registered = old.Place, old.States, old.Registered

	dir := t.TempDir()
	loaded(t, dir, "02-09-2026", slices.Values(append(slices.Clone(others), old)))
	updated(t, dir, 3)
	loaded(t, dir, "02-10-2026", slices.Values(append(slices.Clone(others), renumbered)))
	_, rows := rowsOf(t, content(t, updated(t, dir, 3), october, "changes.parquet"))
	if want := []string{"changed", "", "J2017015812405", "EXEMPLU SRL", "tradeNumber", "J40/15812/2017",
		"J2017015812405"}; len(rows) != 1 || !slices.Equal(rows[0], want) {
		t.Errorf("the changes are %q", rows)
	}
}

func TestOldReleasesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, day := range []string{"02-08-2026", "02-09-2026", "02-10-2026"} {
		loaded(t, dir, day, traderegister.Firms(firms, 1))
		updated(t, dir, 2)
	}

	f := updated(t, dir, 2)
	entries, err := os.ReadDir(f.Dir)
	if list := f.List(); err != nil || len(entries) != 2 || len(list) != 2 || list[0].Date != october ||
		list[1].Date != september {
		t.Errorf("the kept releases are %v of %v, %v", list, entries, err)
	}
}

// TestReloadedReleaseIsRebuilt verifies that the files match the served index.
func TestReloadedReleaseIsRebuilt(t *testing.T) {
	dir := t.TempDir()
	loaded(t, dir, "02-09-2026", traderegister.Firms(firms, 1))
	f := updated(t, dir, 3)
	first := f.kept[0]
	first.Loaded = first.Loaded.AddDate(0, 0, -1) // as if it had been loaded yesterday
	testkit.NoError(t, f.Update(t.Context()))
	if len(f.List()) != 1 || len(f.kept) != 1 || f.kept[0] == first {
		t.Errorf("the kept releases are %v", f.kept)
	}
}

func TestInterruptedBuildLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	loaded(t, dir, "02-09-2026", traderegister.Firms(firms, 1))
	register := onrc.Open(onrc.RegisterOptions{Dir: dir})
	defer register.Close()
	o := Options{Register: register, Dir: filepath.Join(dir, "releases"), Keep: 3,
		Logger: slog.New(slog.DiscardHandler)}
	f, err := Open(o)
	testkit.NoError(t, err)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Update(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 0 {
		t.Errorf("there are %v, %v", entries, err)
	}

	killed := filepath.Join(o.Dir, making+"123")
	testkit.NoError(t, os.MkdirAll(killed, 0o700))
	if f, err = Open(o); err != nil || len(f.List()) != 0 {
		t.Fatalf("the list is %v, %v", f.List(), err)
	}
	if _, err := os.Stat(killed); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the interrupted release is there: %v", err)
	}
	if err := f.Update(t.Context()); err != nil || len(f.List()) != 1 {
		t.Errorf("afterwards the list is %v, %v", f.List(), err)
	}
}

func TestNothingIsMadeBeforeTheFirstLoad(t *testing.T) {
	register := onrc.Open(onrc.RegisterOptions{Dir: t.TempDir()})
	defer register.Close()
	f, err := Open(Options{Register: register, Dir: filepath.Join(t.TempDir(), "releases"), Keep: 3})
	testkit.NoError(t, err)
	if err := f.Update(t.Context()); !errors.Is(err, onrc.ErrNotLoaded) {
		t.Errorf("the error is %v", err)
	}
}

// TestPersonsAreInNoFile verifies that the files contain no birth data of representatives, and their names only as
// names of sole traders.
func TestPersonsAreInNoFile(t *testing.T) {
	dir := t.TempDir()
	loaded(t, dir, "02-09-2026", traderegister.Firms(firms, 1))
	f := updated(t, dir, 3)
	_, rows := rowsOf(t, content(t, f, september, "companies.parquet"))
	text := fmt.Sprint(rows)
	for _, row := range rows {
		row[nameColumn] = ""
	}

	nameless, sought := fmt.Sprint(rows), 0
	for firm := range traderegister.Firms(firms, 1) {
		for _, p := range firm.Persons {
			for _, secret := range []string{p.CNP, p.BirthPlace, p.Home, p.Born.UTC().Format("02/01/2006"),
				p.Born.UTC().Format("02.01.2006")} {
				if secret != "" && strings.Contains(text, secret) {
					t.Errorf("%q is in the file", secret)
				}
			}

			if strings.Contains(nameless, p.Name) {
				t.Errorf("the name %s is in the file", p.Name)
			}

			sought++
		}
	}

	if sought < firms/2 {
		t.Errorf("the test searched for only %d persons", sought)
	}
}
