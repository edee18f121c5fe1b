package service

import (
	"context"
	"testing"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// oneFixing is a central bank with one fixing.
type oneFixing struct {
	rate.Fixings
	rate.Fixing
}

func (f oneFixing) On(context.Context, ro.Date) (rate.Fixing, op.Freshness, error) {
	return f.Fixing, op.Freshness{}, nil
}

// An invoice has the rate as published, with all four decimals.
func TestInvoiceRateIsAsPublished(t *testing.T) {
	for published, want := range map[string]string{"5.0900": "5.0900", "5": "5.0000", "0.014420": "0.01442"} {
		r, err := ro.ParseDecimal(published)
		testkit.NoError(t, err)

		bank := oneFixing{Fixing: rate.Fixing{Date: ro.NewDate(2026, time.November, 25),
			Rates: []rate.Rate{{Currency: "EUR", Rate: r}}}}
		got, err := fixingRates{fixings: bank}.Lei(t.Context(), "EUR", invoice.Date{Year: 2026, Month: 11, Day: 26})
		if err != nil || got.Rate != want {
			t.Errorf("%s is %s on the invoice, want %s: %v", published, got.Rate, want, err)
		}
	}
}
