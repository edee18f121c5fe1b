package rate

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type getFXRatesInput struct {
	Date     ro.Date              `arg:"date" doc:"Day from 2005-01-03 to today; default the latest fixing." example:"2026-06-10"`
	Currency op.List[ro.Currency] `arg:"currency" doc:"ISO 4217 codes separated by commas; default all." example:"EUR,USD"`
	Basis    Basis                `arg:"basis" default:"fixing" doc:"fixing: the last one published on or before the day. invoice: the last one before it, for Romanian invoices (Fiscal Code art. 290)."`
}

// DayRates are the rates of a day.
type DayRates struct {
	Date          ro.Date       `json:"date" doc:"Date of the fixing applied."`
	RequestedDate ro.Date       `json:"requestedDate" doc:"Requested date."`
	Target        ro.Currency   `json:"target" doc:"Always RON."`
	Source        string        `json:"source" doc:"The publisher: BNR, the National Bank of Romania."`
	Items         []Rate        `json:"items" doc:"The rates, by currency."`
	NotQuoted     []ro.Currency `json:"notQuoted,omitempty" doc:"Requested currencies that are not in this fixing."`
}

// SchemaName is the type's name in the API description.
func (DayRates) SchemaName() string { return "FXRates" }

// Get returns the operation get_fx_rates.
func Get(fixings Fixings) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_fx_rates", Method: "GET", Path: "/v1/fx-rates", Tag: tag.ExchangeRates,
		Title: "Get the official exchange rates of one day",
		Description: "Official reference rates of the National Bank of Romania (BNR) for one day, in RON for 1 unit " +
			"of each currency; XAU is a gram of gold. Use it for the rates of a day; use get_fx_rate_history instead for a currency over " +
			"time, and convert_currency to convert an amount. For a weekend, a holiday or a day not yet published " +
			"(at about 13:00 in Bucharest) the previous fixing applies, and date gives its day. Free, no key needed. " +
			"Currencies not in that fixing are listed in notQuoted.",
		Tool: true, Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable,
			problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in getFXRatesInput) (op.Answer[DayRates], error) {
		var none op.Answer[DayRates]
		if err := checkForeign(fixings, "currency", in.Currency...); err != nil {
			return none, err
		}

		fixing, fresh, asked, err := fixingFor(ctx, fixings, in.Date, in.Basis)
		if err != nil {
			return none, err
		}

		rates := DayRates{Date: fixing.Date, RequestedDate: asked, Target: ro.RON, Source: rateSource}
		rates.Items, rates.NotQuoted = fixing.only(in.Currency)
		if len(rates.Items) == 0 {
			return none, notQuoted(ctx, fixings, fixing.Date, rates.NotQuoted...)
		}

		return op.Answer[DayRates]{Value: rates, Freshness: fresh}, nil
	})
}

// only selects currencies from a fixing, in its order and with their units, and returns the missing ones. Without
// currencies it selects all.
func (f *Fixing) only(wanted op.List[ro.Currency]) (rates []Rate, missing []ro.Currency) {
	for _, r := range f.Rates {
		if wanted == nil || wanted.Has(r.Currency) {
			r.Unit = r.Currency.Unit()
			rates = append(rates, r)
		}
	}

	for _, c := range wanted {
		if _, ok := f.In(c); !ok {
			missing = append(missing, c)
		}
	}

	return rates, missing
}
