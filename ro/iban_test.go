package ro_test

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
)

func TestIBAN(t *testing.T) {
	for _, c := range []struct {
		name, text, want string // what holds of the number; empty if it is rejected
	}{
		{"the example of the regulation", "RO49AAAA1B31007593840000", "RO AAAA length digits"},
		{"spaces and small letters", "ro49 aaaa-1b31.0075 9384 0000", "RO AAAA length digits"},
		{"the Treasury", "RO49TREZ9999999999999999", "RO TREZ treasury length digits"},
		{"another digit", "RO48AAAA1B31007593840000", "RO AAAA length"},
		{"23 characters", "RO49AAAA1B3100759384000", "RO AAAA"},
		{"the smallest check digits", "RO02AAAA1B31007593840070", "RO AAAA length digits"},
		{"99 leaves the remainder of 02", "RO99AAAA1B31007593840070", "RO AAAA length"},
		{"German", "DE75512108001245126199", "DE 5121 digits"},
		{"German, no Treasury", "DE89TREZ0000000000000000", "DE TREZ length"},
		{"too short", "RO49AAA", ""},
		{"35 characters", "RO49" + strings.Repeat("A", 31), ""},
		{"no country", "49AAAA1B31007593840000", ""},
		{"an i without a dot", "RO49AAAA1B3100759384000ı", ""},
		{"another alphabet", "RO49ĂAAA1B31007593840000", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var i ro.IBAN
			got := ""
			if i.UnmarshalText([]byte(c.text)) == nil {
				got = i.Country() + " " + i.BankCode()
				for _, p := range []struct {
					name  string
					holds bool
				}{{" treasury", i.IsTreasury()}, {" length", i.HasRomanianLength()}, {" digits", i.HasCheckDigits()}} {
					if p.holds {
						got += p.name
					}
				}
			}
			if got != c.want {
				t.Errorf("%s: %q, want %q", c.text, got, c.want)
			}
		})
	}
}
