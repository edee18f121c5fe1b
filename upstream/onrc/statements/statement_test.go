package statements

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

func line(cui ro.CUI, code string, first string) string {
	return cui.String() + "," + code + "," + first + strings.Repeat(",7", len(general)-1)
}

func TestRead(t *testing.T) {
	header := "CUI,CAEN"
	for i := range general {
		header += fmt.Sprint(",I", i+1)
	}

	good := line(invented.CUI(1), "119", "38180875856")
	tests := map[string]struct {
		file          string
		read, dropped int
		err           error
	}{
		"with a header":         {header + "\n" + good + "\n", 1, 0, nil},
		"with a mark and CRLF":  {"\uFEFF" + header + "\r\n" + good + "\r\n\r\n", 1, 0, nil},
		"without a header":      {good, 1, 0, nil},
		"a wrong control digit": {good + "\n" + line(invented.CUI(1)+1, "6210", "1"), 1, 1, nil},
		"a personal number":     {good + "\n" + line(1000000000000, "6210", "1"), 1, 1, nil},
		"a figure that is none": {good + "\n" + line(invented.CUI(2), "6210", "one"), 1, 1, nil},
		"a figure beyond 10^15": {good + "\n" + line(invented.CUI(2), "6210", "1000000000000001"), 1, 1, nil},
		"one beyond 64 bits":    {good + "\n" + line(invented.CUI(2), "6210", "-9223372036854775809"), 1, 1, nil},
		"mostly malformed":      {good + strings.Repeat("\n"+good+",1", 2), 1, 2, ErrFormat},
		"a cell more":           {good + "\n" + line(invented.CUI(2), "6210", "1,1"), 1, 1, nil},
		"a cell less": {good + "\n" + strings.TrimSuffix(line(invented.CUI(2), "6210", "1"), ",7"),
			1, 1, nil},
		"an empty figure":          {good + "\n" + line(invented.CUI(2), "6210", ""), 2, 0, nil},
		"21 columns for 20":        {header + ",I21\n" + good + ",1\n", 0, 0, ErrFormat},
		"19 columns for 20":        {strings.TrimSuffix(header, ",I20"), 0, 0, ErrFormat},
		"a doubled column":         {strings.Replace(header, "I7,", "I6,", 1), 0, 0, ErrFormat},
		"an unknown column":        {strings.Replace(header, "I7,", "I21,", 1), 0, 0, ErrFormat},
		"another second column":    {strings.Replace(header, "CAEN", "CAENO", 1), 0, 0, ErrFormat},
		"a line without end":       {header + "\n" + strings.Repeat("1", 1<<17), 0, 0, ErrFormat},
		"a page of another format": {"<html>", 0, 0, ErrFormat},
		"empty":                    {"", 0, 0, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var read []*Statement
			dropped, err := Read(strings.NewReader(test.file), mustLegend(t, Key{2025, company.SmallForm}, general...),
				func(s *Statement) error {
					read = append(read, new(*s))
					return nil
				})
			if !errors.Is(err, test.err) || len(read) != test.read || dropped != test.dropped {
				t.Fatalf("%d read, %d dropped, error %v", len(read), dropped, err)
			}
			if len(read) > 0 {
				if v, stated := read[0].Figure(0); v != 38_180_875_856 || !stated || read[0].Activity != "0119" {
					t.Errorf("the first is %+v", read[0])
				}
			}
		})
	}
}

// write writes statements of small companies.
// TestLineLeavesNoGarbage verifies that only the activity of a line is allocated: a year has almost a million lines.
func TestLineLeavesNoGarbage(t *testing.T) {
	text, columns := []byte(line(invented.CUI(1), "6210", "38180875856")), mustLegend(t, Key{2025, company.SmallForm},
		general...).columns
	var s Statement
	if n := testing.AllocsPerRun(100, func() { readLine(text, columns, &s) }); n > 2 || s.CUI != invented.CUI(1) {
		t.Errorf("a line takes %v allocations; it is %+v", n, s)
	}
}

func write(t *testing.T, dir string, year int, all ...*Statement) {
	t.Helper()
	writeFile(t, dir, File{Key: Key{year, company.SmallForm}, Date: ro.NewDate(year+1, 6, 18)}, all...)
}

func writeFile(t *testing.T, dir string, f File, all ...*Statement) {
	t.Helper()
	b, err := NewBuilder(dir)
	testkit.NoError(t, err)
	for _, s := range all {
		testkit.NoError(t, b.Add(s))
	}
	testkit.NoError(t, errors.Join(b.Complete(f), b.Commit(), b.Close()))
}

// TestEmptyIsNotZero verifies that an empty figure is not stated after a statement was written and read.
func TestEmptyIsNotZero(t *testing.T) {
	dir := t.TempDir()
	b, err := NewBuilder(dir)
	testkit.NoError(t, err)
	defer b.Close()

	file := invented.CUI(1).String() + ",6210,,0,-5" + strings.Repeat(",", len(general)-3)
	_, err = Read(strings.NewReader(file), mustLegend(t, Key{2025, company.SmallForm}, general...), b.Add)
	testkit.NoError(t, errors.Join(err, b.Complete(File{Key: Key{2025, company.SmallForm}}), b.Commit()))

	s, err := Open(dir)
	testkit.NoError(t, err)
	defer s.Close()

	found, err := s.Of(invented.CUI(1))
	testkit.NoError(t, err)
	for item, want := range map[int]struct {
		value  int64
		stated bool
	}{0: {0, false}, 1: {0, true}, 2: {-5, true}, 3: {0, false}, 19: {0, false}, 20: {0, false}} {
		if value, stated := found[0].Figure(item); value != want.value || stated != want.stated {
			t.Errorf("%s is %d, stated: %v", Labels[item], value, stated)
		}
	}
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	var many []*Statement
	for n := range 2000 {
		s := &Statement{CUI: invented.CUI(2000 - n), Activity: "6210"}
		s.State(12, 38_180_875_856)
		many = append(many, s)
	}

	write(t, dir, 2024, many...)
	seventh, eighth := invented.CUI(7), invented.CUI(8)
	write(t, dir, 2025, &Statement{CUI: seventh, Activity: "0119"}, &Statement{CUI: seventh, Activity: "9999"},
		&Statement{CUI: eighth})
	writeFile(t, dir, File{Key: Key{2025, company.LargeForm}}, &Statement{CUI: eighth})
	s, err := Open(dir)
	testkit.NoError(t, err)
	defer s.Close()

	of := func(n int) (texts []string) {
		t.Helper()
		found, err := s.Of(invented.CUI(n))
		testkit.NoError(t, err)
		for _, f := range found {
			turnover, _ := f.Figure(12)
			texts = append(texts, fmt.Sprint(f.File.Key, " ", f.CUI == invented.CUI(n), " ", f.Activity, " ", turnover))
		}

		return texts
	}
	if got, want := of(7), []string{"2025-uu true 0119 0", "2024-uu true 6210 38180875856"}; !slices.Equal(got, want) {
		t.Errorf("two years of one company are %q, want %q", got, want)
	}
	if got := of(8); len(got) != 2 || !strings.HasPrefix(got[0], "2025-bl") {
		t.Errorf("the statements of a company in two files are %q", got)
	}
	for n := range 2002 {
		if got := of(n); len(got) == 0 != (n == 0 || n == 2001) {
			t.Errorf("company %d has %d statements", n, len(got))
		}
	}

	activities, err := s.Activities()
	if err != nil || len(activities) != 2000 || activities[seventh] != 119 || activities[eighth] != 6210 {
		t.Errorf("%d activities, %d and %d, %v", len(activities), activities[seventh], activities[eighth], err)
	}
}

// TestReopen verifies that a store that was opened again has the replaced and the new file, and shares the other one.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	for year := 2023; year <= 2024; year++ {
		write(t, dir, year, &Statement{CUI: 9900000010})
	}

	before := mustStore(t, dir)
	write(t, dir, 2024, &Statement{CUI: 9900000010}, &Statement{CUI: 9900000029})
	write(t, dir, 2025, &Statement{CUI: 9900000010})
	s, err := before.Reopen(dir)
	testkit.NoError(t, err)
	for cui, want := range map[ro.CUI]int{9900000010: 3, 9900000029: 1} {
		if found, err := s.Of(cui); err != nil || len(found) != want {
			t.Errorf("company %s has %d statements, %v, want %d", cui, len(found), err, want)
		}
	}

	if s.files[2] != before.files[1] || s.files[1] == before.files[0] {
		t.Error("the store does not share exactly the file that is the same")
	}
}

func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 2024, &Statement{CUI: invented.CUI(1), Activity: "6210"})
	write(t, dir, 2025, &Statement{CUI: invented.CUI(1), Activity: "0119"})
	path := Path(dir, Key{2025, company.SmallForm})
	body, err := os.ReadFile(path)
	testkit.NoError(t, err)

	for _, length := range []int{0, 10, len(body) / 2, len(body) - 1} {
		testkit.NoError(t, os.WriteFile(path, body[:length], 0o600))

		s, err := Open(dir)
		if err == nil {
			t.Errorf("a file cut to %d bytes can be opened", length)
		}
		if found, err := s.Of(invented.CUI(1)); err != nil || len(found) != 1 || found[0].File.Key.Year != 2024 {
			t.Errorf("the remaining statements are %+v, %v", found, err)
		}
		testkit.NoError(t, s.Close())
	}

	body[len(magic)] ^= 0xff
	testkit.NoError(t, os.WriteFile(path, body, 0o600))
	s, err := Open(dir)
	testkit.NoError(t, err)
	defer s.Close()

	if _, err := s.Activities(); !errors.Is(err, errDamaged) {
		t.Errorf("the error is %v", err)
	}
}

// TestFirstFormat verifies that files in which an empty figure was 0 are not read.
func TestFirstFormat(t *testing.T) {
	dir := t.TempDir()
	old := append([]byte("rodatast"), make([]byte, 64)...)
	testkit.NoError(t, errors.Join(os.WriteFile(filepath.Join(dir, "2025.statements"), old, 0o600),
		os.WriteFile(Path(dir, Key{2024, company.SmallForm}), old, 0o600)))
	if s, err := Open(dir); !errors.Is(err, errDamaged) || len(s.Files()) != 0 {
		t.Errorf("there are %d files, %v", len(s.Files()), err)
	}
}

func TestNoDirectory(t *testing.T) {
	s, err := Open(t.TempDir() + "/none")
	if err != nil || len(s.Files()) != 0 {
		t.Errorf("files %v, error %v", s.Files(), err)
	}
}

func TestCoverage(t *testing.T) {
	dir := t.TempDir()
	loaded, renewed, broken := Key{2024, company.SmallForm}, Key{2023, company.SmallForm}, Key{2022, company.LargeForm}
	write(t, dir, loaded.Year, &Statement{CUI: invented.CUI(1)})
	write(t, dir, renewed.Year, &Statement{CUI: invented.CUI(1)})
	none := Key{2011, company.IFRSForm}
	if c, _ := mustStore(t, dir).Coverage(none); c != company.FileNotLoaded {
		t.Errorf("before the first check, a file is %s", c)
	}

	testkit.NoError(t, Catalog{Checked: time.Now(), First: 2011,
		Published: map[Key]string{loaded: "a", renewed: "b", broken: "c", {2021, company.SmallForm}: "d"},
		Refused:   map[Key]Refusal{renewed: {"b", "why"}, broken: {"c", "why"}}}.Write(dir))
	s := mustStore(t, dir)
	for key, want := range map[Key]string{
		loaded: "loaded 2025-06-18", renewed: "refused 2024-06-18", broken: "refused ",
		{2021, company.SmallForm}: "not_loaded ",
		none:                      "not_published ", {2010, company.SmallForm}: "not_loaded ",
	} {
		c, asOf := s.Coverage(key)
		text := string(c) + " "
		if asOf != 0 {
			text += asOf.String()
		}
		if text != want {
			t.Errorf("%s is %q, want %q", key, text, want)
		}
	}
}

// A year is complete once the files of small and of large companies are here, and all others that the portal has.
func TestCompleteYears(t *testing.T) {
	small, large, ifrs := Key{2024, company.SmallForm}, Key{2024, company.LargeForm}, Key{2024, company.IFRSForm}
	for name, c := range map[string]struct {
		here, published []Key
		want            []int
	}{
		"a file is missing":       {[]Key{small}, []Key{small, large}, nil},
		"all are here":            {[]Key{small, large}, []Key{small, large}, []int{2024}},
		"a third one is missing":  {[]Key{small, large}, []Key{small, large, ifrs}, nil},
		"a third one is here too": {[]Key{small, large, ifrs}, []Key{small, large, ifrs}, []int{2024}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, published := t.TempDir(), map[Key]string{}
			for _, key := range c.published {
				published[key] = "a"
			}
			for _, key := range c.here {
				writeFile(t, dir, File{Key: key}, &Statement{CUI: invented.CUI(1)})
			}

			testkit.NoError(t, Catalog{Checked: time.Now(), First: 2009, Published: published}.Write(dir))
			if got := mustStore(t, dir).CompleteYears; !slices.Equal(got, c.want) {
				t.Errorf("complete are %v, want %v", got, c.want)
			}
		})
	}
}

func mustStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	testkit.NoError(t, err)
	t.Cleanup(func() { s.Close() })

	return s
}

func TestAttribution(t *testing.T) {
	f := File{Package: "situatii_financiare_2025", Resource: "web_uu_an2025.txt"}
	const want = "Ministerul Finanțelor, data.gov.ro, situatii_financiare_2025, web_uu_an2025.txt"
	if got := f.Attribution(); got != want {
		t.Errorf("without a licence: %q", got)
	}
	if f.License = new("cc-by"); f.Attribution() != want+", cc-by" {
		t.Errorf("with a licence: %q", f.Attribution())
	}
}

func FuzzRead(f *testing.F) {
	f.Add(legendText(general...), line(invented.CUI(1), "6210", "1")+"\n")
	f.Fuzz(func(t *testing.T, legend, body string) {
		l, err := ReadLegend([]byte(legend), Key{2015, company.SmallForm})
		if err != nil {
			return
		}

		Read(strings.NewReader(body), l, func(s *Statement) error {
			if !s.CUI.Valid() || len(s.Activity) != 0 && len(s.Activity) != 4 {
				t.Errorf("read %+v", s)
			}
			return nil
		})
		// A file in another format must cause only an error.
	})
}
