package statements

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

func line(cui ro.CUI, code string, first string) string {
	return cui.String() + "," + code + "," + first + strings.Repeat(",7", Indicators-1)
}

func TestRead(t *testing.T) {
	header := "CUI,CAEN"
	for i := range Indicators {
		header += ",I" + string(rune('0'+i%10))
	}

	good := line(invented.CUI(1), "119", "38180875856")
	tests := map[string]struct {
		file          string
		read, dropped int
		err           error
	}{
		"with a header":            {header + "\n" + good + "\n", 1, 0, nil},
		"with a mark and CRLF":     {"\uFEFF" + header + "\r\n" + good + "\r\n\r\n", 1, 0, nil},
		"without a header":         {good, 1, 0, nil},
		"a wrong control digit":    {good + "\n" + line(invented.CUI(1)+1, "6210", "1"), 1, 1, nil},
		"a personal number":        {good + "\n" + line(1000000000000, "6210", "1"), 1, 1, nil},
		"a figure that is none":    {good + "\n" + line(invented.CUI(2), "6210", "one"), 1, 1, nil},
		"a figure left out":        {good + "\n" + line(invented.CUI(2), "6210", ""), 2, 0, nil},
		"a line of another format": {"<html>", 0, 0, ErrFormat},
		"empty":                    {"", 0, 0, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var read []Statement
			dropped, err := Read(strings.NewReader(test.file), 2025, func(s Statement) { read = append(read, s) })
			if !errors.Is(err, test.err) || len(read) != test.read || dropped != test.dropped {
				t.Fatalf("%d read, %d dropped, error %v", len(read), dropped, err)
			}
			if len(read) > 0 && (read[0].Activity != "0119" || read[0].Figures[0] != 38_180_875_856 ||
				read[0].Year != 2025) {
				t.Errorf("the first is %+v", read[0])
			}
		})
	}
}

func write(t *testing.T, dir string, year int, statements ...Statement) {
	t.Helper()
	var b Builder
	for _, s := range statements {
		b.Add(s)
	}
	testkit.NoError(t, b.Write(Path(dir, year)))
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	figures := [Indicators]int64{0: -5, 12: 38_180_875_856, 19: 3}
	var many []Statement
	for n := range 1000 {
		many = append(many, Statement{CUI: invented.CUI(1000 - n), Activity: "6210", Figures: figures})
	}

	write(t, dir, 2024, many...)
	seventh, eighth := invented.CUI(7), invented.CUI(8)
	write(t, dir, 2025, Statement{CUI: seventh, Activity: "0119"}, Statement{CUI: seventh, Activity: "9999"},
		Statement{CUI: eighth})
	s, err := Open(dir)
	testkit.NoError(t, err)
	defer s.Close()

	of := func(n int) []Statement {
		t.Helper()
		found, err := s.Of(invented.CUI(n))
		testkit.NoError(t, err)

		return found
	}
	want := []Statement{{CUI: invented.CUI(7), Year: 2025, Activity: "0119"},
		{CUI: invented.CUI(7), Year: 2024, Activity: "6210", Figures: figures}}
	if got := of(7); !slices.Equal(got, want) {
		t.Errorf("two years of one company are %+v, want %+v", got, want)
	}

	for n, years := range map[int]int{1: 1, 1000: 1, 0: 0, 1001: 0} {
		if got := of(n); len(got) != years {
			t.Errorf("company %d has %d statements, want %d", n, len(got), years)
		}
	}

	if len(s.years) != 2 || s.years[0].year != 2025 || s.years[1].year != 2024 {
		t.Errorf("the years are %+v", s.years)
	}

	activities, err := s.Activities()
	if err != nil || len(activities) != 1000 || activities[seventh] != 119 || activities[eighth] != 6210 {
		t.Errorf("%d activities, %d and %d, %v", len(activities), activities[seventh], activities[eighth], err)
	}
}

func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 2024, Statement{CUI: invented.CUI(1), Activity: "6210"})
	write(t, dir, 2025, Statement{CUI: invented.CUI(1), Activity: "0119"})
	body, err := os.ReadFile(Path(dir, 2025))
	testkit.NoError(t, err)

	t.Run("cut short", func(t *testing.T) {
		testkit.NoError(t, os.WriteFile(Path(dir, 2025), body[:20], 0o600))

		s, err := Open(dir)
		if !errors.Is(err, errDamaged) {
			t.Errorf("the error is %v", err)
		}
		defer s.Close()

		if found, err := s.Of(invented.CUI(1)); err != nil || len(found) != 1 || found[0].Year != 2024 {
			t.Errorf("the remaining statements are %+v, %v", found, err)
		}
	})
	t.Run("changed", func(t *testing.T) {
		body[len(body)-8] ^= 0xff
		testkit.NoError(t, os.WriteFile(Path(dir, 2025), body, 0o600))

		s, err := Open(dir)
		testkit.NoError(t, err)
		defer s.Close()

		if _, err := s.Activities(); !errors.Is(err, errDamaged) {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestNoDirectory(t *testing.T) {
	s, err := Open(t.TempDir() + "/none")
	if err != nil || len(s.years) != 0 {
		t.Errorf("years %v, error %v", s.years, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(line(invented.CUI(1), "6210", "1") + "\n")
	f.Fuzz(func(t *testing.T, body string) {
		Read(strings.NewReader(body), 2025, func(s Statement) {
			if !s.CUI.Valid() || len(s.Activity) != 0 && len(s.Activity) != 4 {
				t.Errorf("read %+v", s)
			}
		})
		// A file in another format must cause only an error.
	})
}
