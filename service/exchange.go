package service

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/ro"
)

// fixingRates are the central bank's exchange rates for invoices.
type fixingRates struct {
	fixings rate.Fixings
	rule    string
}

// publishedDecimals is the number of decimals with which the central bank publishes rates.
const publishedDecimals = 4

// Lei implements billing.ExchangeRates.
func (r fixingRates) Lei(ctx context.Context, currency string, day invoice.Date) (invoice.Exchange, error) {
	d := ro.NewDate(day.Year, day.Month, day.Day)
	if r.rule != settings.SameFixing {
		d--
	}

	fixing, fresh, err := r.fixings.On(ctx, d)
	if err != nil {
		return invoice.Exchange{}, err
	}
	if !fresh.FreshUntil.IsZero() && fresh.FreshUntil.Before(time.Now()) {
		return invoice.Exchange{}, fmt.Errorf("the fixing for %s is not published yet; the last one is of %s",
			d, fixing.Date)
	}

	for _, rate := range fixing.Rates {
		if string(rate.Currency) == currency {
			return invoice.Exchange{Rate: rate.Rate.Padded(publishedDecimals),
				Date: invoice.DateOf(fixing.Date.UTC())}, nil
		}
	}

	return invoice.Exchange{}, fmt.Errorf("the central bank quoted no %s on %s", currency, fixing.Date)
}
