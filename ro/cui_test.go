package ro

import (
	"strings"
	"testing"
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
		"DE811569869": "it is a VAT number of Germany", "DE811569868": typedCUIForm,
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

// FuzzCUI checks that every accepted text survives a round trip.
func FuzzCUI(f *testing.F) {
	for _, text := range []string{"14399840", "RO 14.399.840,0", "2026-11-20", "100", "999999", "ș"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		var c CUI
		if c.UnmarshalText([]byte(text)) == nil && (!c.Valid() || c.UnmarshalText([]byte(c.String())) != nil) {
			t.Errorf("%q is read as %d", text, c)
		}
		if typed, err := ParseCUI(text); err == nil && c.UnmarshalText([]byte(typed.String())) != nil {
			t.Errorf("%q is read as %d", text, typed)
		}
	})
}
