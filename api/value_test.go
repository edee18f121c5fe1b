package api

import (
	"encoding"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestCUI(t *testing.T) {
	for text, want := range map[string]CUI{"19": 19, "0000014399840": 0, "014399840": 14399840, "14399840": 14399840,
		"9900000010": 9900000010} {
		var c CUI
		err := c.UnmarshalText([]byte(text))
		if text == "0000014399840" { // thirteen digits, five of them leading zeros
			want = 14399840
		}
		if err != nil || c != want {
			t.Errorf("%s is read as %d, %v", text, c, err)
		}
	}
}

func TestTypedCUI(t *testing.T) {
	for _, text := range []string{"14399840", "ro14399840", "RO 14399840", "Ro\u00a01439 9840", "14.399.840",
		"RO14.399.840", "0014399840", `="14399840"`, `="RO14399840"`, "'14399840", "'14399840'", `"14399840"`, "14399840.0",
		"14399840,00", "RO14399840.0", "CUI 14399840", "CUI: RO14399840", "C.I.F. ro 14399840", "\ufeff14399840",
		" 14399840\t"} {
		if c, err := ParseCUI(text); err != nil || c != 14399840 {
			t.Errorf("%q is read as %d, %v", text, c, err)
		}
	}

	for text, want := range map[string]string{
		"": typedCUIForm, "RO": typedCUIForm, "31.03.2026": typedCUIForm, "14399840.5": typedCUIForm,
		"1.4399.840": typedCUIForm, "-14399840": typedCUIForm, "EU14399840": typedCUIForm,
		"J40/8302/1997": typedCUIForm, "RO14399841": "ends in 0", "RO1960101123456": "CNP",
	} {
		c, err := ParseCUI(text)
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "without the RO prefix") {
			t.Errorf("%q is read as %d, %v", text, c, err)
		}
	}
}

func TestCUIControlDigit(t *testing.T) {
	for _, c := range []CUI{2816464, 1590082, 14399840, 5022670, 13267213, 54760, 28397, 18547290, 9900000010} {
		if !c.Valid() {
			t.Errorf("%d is refused", c)
		}
	}

	for _, c := range []CUI{18547291, 12329, 1607819, 12345678, 123456, 1234567890, 99999999, 49328020, 0, 1, -19} {
		if c.Valid() {
			t.Errorf("%d is accepted", c)
		}
	}
}

func TestEveryCUIHasOneControlDigit(t *testing.T) {
	for body := CUI(1); body < 20_000; body++ {
		valid := 0
		for digit := range CUI(10) {
			if (body*10 + digit).Valid() {
				valid++
			}
		}

		if valid != 1 {
			t.Fatalf("%d numbers that begin with %d are valid", valid, body)
		}
	}
}

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

// FuzzValues checks that no text makes a value type panic, and that every accepted text survives a round trip.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"14399840", "2026-11-20", "31.3.2026 22:00", "RO 14.399.840,0", "EUR", "EUR, usd",
		"100", "999999", "-2500.10", "6210", "K", "fixing", "balanceSheets", "ana@example.ro", "ș"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		var (
			cui  CUI
			date Date
		)
		if cui.UnmarshalText([]byte(text)) == nil && (!cui.Valid() || cui.UnmarshalText([]byte(cui.String())) != nil) {
			t.Errorf("%q is read as %d", text, cui)
		}
		if typed, err := ParseCUI(text); err == nil && cui.UnmarshalText([]byte(typed.String())) != nil {
			t.Errorf("%q is read as %d", text, typed)
		}
		if date.UnmarshalText([]byte(text)) == nil {
			if again, err := ParseDate(date.String()); err != nil || again != date {
				t.Errorf("%q is read as %s", text, date)
			}
		}

		for _, v := range []encoding.TextUnmarshaler{
			new(Currency), new(List[Currency]), new(List[Include]), new(List[StateFilter]), new(Limit), new(Offset),
			new(Amount), new(NACECode), new(IndustryID),
			new(SortBy), new(SortDirection), new(Basis), new(Text), new(ContactName), new(ContactMessage), new(Email),
			new(Honeypot),
		} {
			_ = v.UnmarshalText([]byte(text))
		}
	})
}

// Both patterns of a list of names accept the same texts as UnmarshalText. The pattern for tools is shorter: it
// contains each name once.
func TestPatternsOfLists(t *testing.T) {
	s := List[Include]{}.Schema()
	for _, pattern := range []string{s.Pattern, s.Precise.Pattern} {
		form := regexp.MustCompile(pattern)
		for text, want := range map[string]bool{
			"registers": true, "registers,insolvency": true, "registers , insolvency": true,
			"": false, "registers,": false, ",registers": false, "registersinsolvency": false,
			"registers insolvency": false, "register": false,
		} {
			if got := form.MatchString(text); got != want {
				t.Errorf("%s: %q is %t", pattern, text, got)
			}
		}
	}

	if n := strings.Count(s.Pattern, "insolvency"); n != 1 {
		t.Errorf("the tools' pattern names a value %d times", n)
	}
}
