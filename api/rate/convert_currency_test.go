package rate

import (
	"testing"

	"github.com/rodata/rodata/ro"
)

func BenchmarkConvert(b *testing.B) {
	amount, eur, usd := new(ro.Decimal), new(ro.Decimal), new(ro.Decimal)
	for text, d := range map[string]*ro.Decimal{"2500.10": amount, "5.2344": eur, "4.5286": usd} {
		var err error
		if *d, err = ro.ParseDecimal(text); err != nil {
			b.Fatal(err)
		}
	}

	b.ReportAllocs()
	for b.Loop() {
		_ = eur.Over(*usd, rateDigits)
		_ = amount.Times(*eur).Over(*usd, resultDigits)
	}
}
