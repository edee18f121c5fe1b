package rate

import (
	"testing"

	"github.com/rodata/rodata/ro"
)

func TestRateIsWrittenAsPublished(t *testing.T) {
	for _, c := range []struct {
		currency ro.Currency
		rate     string
		text     string
		units    int
	}{
		{"EUR", "5.2452", "5.2452", 1},
		{"GBP", "5.82", "5.8200", 1},
		{"XAU", "633.3435", "633.3435", 1},
		{"HUF", "0.014375", "1.4375", 100},
		{"IDR", "0.00026", "0.0260", 100},
		{"KRW", "0.003", "0.3000", 100},
		{"VND", "0.000172", "0.0172", 100}, // not one of the currencies with a known multiplier
	} {
		r, err := ro.ParseDecimal(c.rate)
		if err != nil {
			t.Fatal(err)
		}
		if text, units := (Rate{Currency: c.currency, Rate: r}).Published(); text != c.text || units != c.units {
			t.Errorf("%s of %s is published as %s for %d, want %s for %d", c.rate, c.currency, text, units,
				c.text, c.units)
		}
	}
}
