package ro

import (
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

func TestDate(t *testing.T) {
	for _, text := range []string{"2005-01-03", "2024-02-29", "1970-01-01", "1969-12-31", "9999-12-31"} {
		d, err := ParseDate(text)
		if err != nil || d.String() != text {
			t.Errorf("%s is read as %s, %v", text, d, err)
		}
	}

	for _, text := range []string{"0000-12-31", "0001-01-01", "2023-02-29", "2026-13-01", "31.02.2026", "1/13/2026",
		"9999-12-31T23:00:00Z"} {
		if d, err := ParseDate(text); err == nil || !strings.Contains(err.Error(), "no such day") {
			t.Errorf("%s is read as %s, %v", text, d, err)
		}
	}

	for _, text := range []string{
		"2026-03-31", "31.03.2026", "31/03/2026", "31.3.2026", "2026-03-31 00:00", "2026-03-31T23:59:59",
		"2026-03-31 00:00:00.000", "31.03.2026 14:05", "31/03/2026 14:05:09", "2026-03-30T22:00:00.000Z",
		"2026-03-31T00:00:00Z", "2026-03-30T22:00:00+00:00",
		"2026-03-31T01:00:00+03:00", " 2026-03-31 ",
	} {
		if d, err := ParseDate(text); err != nil || d.String() != "2026-03-31" {
			t.Errorf("%q is read as %s, %v", text, d, err)
		}
	}

	for _, text := range []string{"31-03-2026", "20260331", "31.03.26", "2026.03.31", "31.03/2026", "2026-03-31 noon",
		"2026-03-31 25:00", "2026-03-31x", "T", "45747", ""} {
		if d, err := ParseDate(text); err == nil ||
			!strings.Contains(err.Error(), "YYYY-MM-DD, DD.MM.YYYY or DD/MM/YYYY") {
			t.Errorf("%q is read as %s, %v", text, d, err)
		}
	}

	if d := NewDate(2026, time.November, 20); d.Weekday() != time.Friday || d.Year() != 2026 ||
		(d+11).String() != "2026-12-01" {
		t.Errorf("2026-11-20 is a %s of %d, 11 days before %s", d.Weekday(), d.Year(), d+11)
	}
}

func TestDateIn(t *testing.T) {
	for at := time.Date(1890, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2040; at = at.Add(5*time.Hour + 59*time.Minute) {
		if got, want := DateIn(at, Bucharest), NewDate(at.In(Bucharest).Date()); got != want {
			t.Fatalf("%s is %s in Bucharest, want %s", at, got, want)
		}
	}
}

func TestDateInBucharest(t *testing.T) {
	for instant, want := range map[string]string{
		"2026-11-19T21:59:59Z": "2026-11-19", // winter: UTC+2
		"2026-11-19T22:00:00Z": "2026-11-20",
		"2026-07-01T20:59:59Z": "2026-07-01", // summer: UTC+3
		"2026-07-01T21:00:00Z": "2026-07-02",
		"2026-12-31T22:00:00Z": "2027-01-01",
	} {
		at, err := time.Parse(time.RFC3339, instant)
		testkit.NoError(t, err)
		if got := DateIn(at, Bucharest).String(); got != want {
			t.Errorf("at %s it is %s in Bucharest, want %s", instant, got, want)
		}
	}
}

// FuzzDate checks that every accepted text survives a round trip.
func FuzzDate(f *testing.F) {
	for _, text := range []string{"2026-11-20", "31.3.2026 22:00", "31/03/2026", "14399840", "ș"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDate(text)
		if err != nil {
			return
		}
		if again, err := ParseDate(d.String()); err != nil || again != d {
			t.Errorf("%q is read as %s", text, d)
		}
	})
}
