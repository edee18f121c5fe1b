package bnr

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

func TestPlausible(t *testing.T) {
	fixing := func(day, euro string) rate.Fixing {
		return rate.Fixing{Date: date(day), Rates: []rate.Rate{{Currency: "EUR", Rate: mustDecimal(euro)}}}
	}
	var a archive
	a.merge([]rate.Fixing{fixing("2026-08-19", "5")}, time.Now())
	tests := map[string]struct {
		fixings []rate.Fixing
		factor  string
		refused bool
	}{
		"exactly double":            {[]rate.Fixing{fixing("2026-08-20", "10")}, "2", false},
		"above double":              {[]rate.Fixing{fixing("2026-08-20", "10.0001")}, "2", true},
		"exactly half":              {[]rate.Fixing{fixing("2026-08-20", "2.5")}, "2", false},
		"below half":                {[]rate.Fixing{fixing("2026-08-20", "2.4999")}, "2", true},
		"a larger factor":           {[]rate.Fixing{fixing("2026-08-20", "10.0001")}, "3", false},
		"within the document":       {[]rate.Fixing{fixing("2026-08-20", "5"), fixing("2026-08-21", "500")}, "2", true},
		"the stored fixing changed": {[]rate.Fixing{fixing("2026-08-19", "500")}, "2", false}, // none before it
		"long after":                {[]rate.Fixing{fixing("2026-12-20", "500")}, "2", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := a.plausible(test.fixings, mustDecimal(test.factor)); (err != nil) != test.refused {
				t.Errorf("%v, refused should be %v", err, test.refused)
			}
		})
	}
}

func TestNextCheck(t *testing.T) {
	const jitter = 10 * time.Second
	tests := map[string]struct{ asked, newest, want string }{
		"in the morning":                  {"2026-08-19 09:00:00", "2026-08-18", "2026-08-19 13:00:10"},
		"at the opening":                  {"2026-08-19 13:00:10", "2026-08-18", "2026-08-19 13:00:40"},
		"just before two":                 {"2026-08-19 13:59:59", "2026-08-18", "2026-08-19 14:00:29"},
		"from two":                        {"2026-08-19 14:00:00", "2026-08-18", "2026-08-19 14:05:00"},
		"from five":                       {"2026-08-19 17:00:00", "2026-08-18", "2026-08-19 18:00:00"},
		"after midnight with one missed":  {"2026-08-20 00:30:00", "2026-08-18", "2026-08-20 01:30:00"},
		"one missed, soon opening":        {"2026-08-20 12:30:00", "2026-08-18", "2026-08-20 13:00:10"},
		"published":                       {"2026-08-19 13:02:10", "2026-08-19", "2026-08-20 13:00:10"},
		"published on Friday":             {"2026-08-21 13:02:10", "2026-08-21", "2026-08-22 13:00:10"},
		"Saturday":                        {"2026-08-22 13:00:10", "2026-08-21", "2026-08-22 14:00:10"},
		"Sunday before Monday":            {"2026-08-23 23:30:00", "2026-08-21", "2026-08-24 00:30:00"},
		"Monday morning":                  {"2026-08-24 00:30:00", "2026-08-21", "2026-08-24 13:00:10"},
		"the night the clocks go forward": {"2026-03-29 02:59:00", "2026-03-27", "2026-03-29 13:00:10"},
		"the night the clocks go back":    {"2026-10-25 02:59:00", "2026-10-23", "2026-10-25 13:00:10"},
	}
	parse := func(text string) time.Time {
		at, err := time.ParseInLocation(time.DateTime, text, ro.Bucharest)
		testkit.NoError(t, err)
		return at
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := nextCheck(parse(test.asked), date(test.newest), jitter); !got.Equal(parse(test.want)) {
				t.Errorf("next check %s, want %s", got, test.want)
			}
		})
	}
}

func aVolume() volume {
	v := volume{year: 2026, known: []span{{date("2026-01-01"), date("2026-08-19")}}}
	for _, day := range []string{"2026-01-05", "2026-08-19"} {
		v.entries = append(v.entries, entry{rate.Fixing{Date: date(day), Rates: []rate.Rate{
			{Currency: "EUR", Rate: mustDecimal("5.2452")}, {Currency: "IDR", Rate: mustDecimal("0.000260")}}},
			at(day + " 13:02")})
	}

	return v
}

func TestVolumeIsReadable(t *testing.T) {
	want := strings.Join([]string{
		"rodata fixings 1: RON per unit, as published by the National Bank of Romania",
		"year 2026",
		"known 2026-01-01 2026-08-19",
		"2026-01-05 2026-01-05T11:02:00Z EUR=5.2452 IDR=0.00026",
		"2026-08-19 2026-08-19T10:02:00Z EUR=5.2452 IDR=0.00026",
		"crc32 "}, "\n")
	text := string(aVolume().encode())
	if got, _, _ := strings.Cut(text, "crc32 "); got+"crc32 " != want {
		t.Errorf("wrote\n%s\nwant\n%s", text, want)
	}
}

// A truncated file, or one with any byte changed, is detected.
func TestVolumeDamage(t *testing.T) {
	text := aVolume().encode()
	for i := range text {
		if _, err := decodeVolume(text[:i]); err == nil {
			t.Errorf("a file truncated to %d bytes was read", i)
		}

		changed := slices.Clone(text)
		changed[i] ^= 4
		if _, err := decodeVolume(changed); err == nil {
			t.Errorf("a file with byte %d changed was read", i)
		}
	}
}

// A crash while a file is being replaced leaves the old one intact.
func TestShelfAfterACrash(t *testing.T) {
	s := yearFiles{t.TempDir()}
	testkit.NoError(t, s.save(aVolume()))
	testkit.NoError(t, os.WriteFile(s.path(2026)+"123456", []byte("rodata fix"), 0o644))

	volumes, failures := s.load()
	if len(volumes) != 1 || len(failures) != 0 || len(volumes[0].entries) != 2 {
		t.Errorf("loaded %v, %v", volumes, failures)
	}
	if err := s.save(aVolume()); err != nil {
		t.Error(err)
	}
}

func TestShelfRefusesAnotherYearsFile(t *testing.T) {
	s := yearFiles{t.TempDir()}
	testkit.NoError(t, os.WriteFile(s.path(2025), aVolume().encode(), 0o644))
	if volumes, failures := s.load(); len(volumes) != 0 || len(failures) != 1 {
		t.Errorf("loaded %v, %v", volumes, failures)
	}
}

func FuzzDecodeVolume(f *testing.F) {
	f.Add(aVolume().encode())
	f.Add([]byte("crc32 00000000\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := decodeVolume(text)
		if err != nil {
			return
		}
		if _, err := decodeVolume(v.encode()); err != nil {
			t.Errorf("the volume read from %q cannot be read again: %v", text, err)
		}
	})
}
