package ro

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// dec returns the decimal that a text spells.
func dec(text string) Decimal {
	d, err := ParseDecimal(text)
	if err != nil {
		panic(err)
	}
	return d
}

// rat returns the number as a fraction, parsed independently by big.Rat.
func rat(t testing.TB, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return r
}

// randomDecimal returns a decimal text with a random number of digits on either side.
func randomDecimal(rng *rand.Rand, whole, fraction int) string {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(byte('0' + rng.IntN(10)))
		}
		return b.String()
	}
	text := digits(1 + rng.IntN(whole))
	if n := rng.IntN(fraction + 1); n > 0 {
		text += "." + digits(n)
	}
	if rng.IntN(4) == 0 {
		text = "-" + text
	}

	return text
}

// TestDecimalAgreesWithFractions compares each operation on 20,000 random pairs with exact fractions. FloatString
// rounds half away from zero, like Decimal.
func TestDecimalAgreesWithFractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		ta, tb := randomDecimal(rng, 15, 10), randomDecimal(rng, 5, 6)
		a, b := dec(ta), dec(tb)
		ra, rb := rat(t, ta), rat(t, tb)
		if got := rat(t, a.String()); got.Cmp(ra) != 0 {
			t.Fatalf("%s is written %s", ta, a)
		}
		if got := rat(t, a.Times(b).String()); got.Cmp(new(big.Rat).Mul(ra, rb)) != 0 {
			t.Fatalf("%s * %s = %s", ta, tb, a.Times(b))
		}
		if a.Cmp(b) != ra.Cmp(rb) {
			t.Fatalf("%s compared with %s is %d", ta, tb, a.Cmp(b))
		}

		places := 1 + rng.IntN(7)
		if got, want := a.Round(places), ra.FloatString(places); rat(t, got.String()).Cmp(rat(t, want)) != 0 {
			t.Fatalf("%s to %d decimals is %s, want %s", ta, places, got, want)
		}
		if b.Sign() == 0 {
			continue
		}

		quotient := new(big.Rat).Quo(ra, rb)
		decimals := places
		for limit := big.NewRat(1, 10); quotient.Sign() != 0 && new(big.Rat).Abs(quotient).Cmp(limit) < 0; decimals++ {
			limit.Mul(limit, big.NewRat(1, 10)) // a zero after the point is no significant digit
		}
		if got, want := a.Over(b, places),
			quotient.FloatString(decimals); rat(t, got.String()).Cmp(rat(t, want)) != 0 {
			t.Fatalf("%s / %s to %d digits is %s, want %s", ta, tb, places, got, want)
		}
	}
}

func TestDecimalNotation(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.00": "0", "-0.0000": "0", "5.1050": "5.105", "100": "100", "0.0660": "0.066",
		"007": "7", "-1.50": "-1.5", "0.000000000000000001": "0.000000000000000001",
		"123456789012345.1234567890": "123456789012345.123456789",
	} {
		if got := dec(text).String(); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
		if data, err := json.Marshal(dec(text)); err != nil || string(data) != want {
			t.Errorf("%s in JSON is %s, %v", text, data, err)
		}
	}

	if got := dec("1.4356").Shift(2).String(); got != "0.014356" {
		t.Errorf("1.4356 for 100 units is %s for one", got)
	}
	if got := Cents(19_00).String(); got != "19" {
		t.Errorf("1900 cents are %s", got)
	}
	if (Decimal{}).String() != "0" || (Decimal{}).Cmp(dec("0.0")) != 0 {
		t.Error("the zero value is not 0")
	}
}

func TestMalformedDecimalsAreRejected(t *testing.T) {
	for _, text := range []string{"", "-", ".", "1.", ".1", "+1", "1e2", "1,5", "1 000", "0x1", "--1", "1.2.3", "Inf",
		"NaN", "١"} {
		if d, err := ParseDecimal(text); err == nil {
			t.Errorf("%q is read as %s", text, d)
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	f.Add("5.2344")
	f.Add("-0.00")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDecimal(text)
		if err != nil || len(text) > 1000 {
			return
		}

		again, err := ParseDecimal(d.String())
		if err != nil || again.Cmp(d) != 0 || again.String() != d.String() {
			t.Fatalf("%q becomes %s, which becomes %s, %v", text, d, again, err)
		}
	})
}
