package rate

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type getFXRateHistoryInput struct {
	Currency ro.Currency `arg:"currency" required:"true" doc:"Currency, an ISO 4217 code." example:"EUR"`
	From     ro.Date     `arg:"from" doc:"First day; default 30 days before to." example:"2026-06-01"`
	To       ro.Date     `arg:"to" doc:"Last day, at most 366 days after from; default today." example:"2026-06-30"`
}

// RateHistory is the series of rates of a currency.
type RateHistory struct {
	Currency ro.Currency `json:"currency" doc:"ISO 4217 code."`
	Target   ro.Currency `json:"target" doc:"Always RON."`
	Unit     ro.Unit     `json:"unit,omitempty" doc:"gram for XAU: a gram of gold, where ISO 4217 means a troy ounce. Absent for all others."`
	Source   string      `json:"source" doc:"The publisher: BNR, the National Bank of Romania."`
	From     ro.Date     `json:"from" doc:"First day requested."`
	To       ro.Date     `json:"to" doc:"Last day requested."`
	Items    []Quotation `json:"items" doc:"Rates by day, ascending; business days only."`
}

// SchemaName is the type's name in the API description.
func (RateHistory) SchemaName() string { return "FXRateHistory" }

const (
	maxHistoryDays     = 366
	defaultHistoryDays = 30
)

// GetHistory returns the operation get_fx_rate_history.
func GetHistory(fixings Fixings) *op.Operation {
	history := op.Define(op.Spec{
		Name: "get_fx_rate_history", Method: "GET", Path: "/v1/fx-rates/history", Tag: tag.ExchangeRates,
		Title: "Get the exchange-rate history of one currency",
		Description: "Official reference rates of the National Bank of Romania (BNR) for one currency over a range " +
			"of at most 366 days, in RON for 1 unit. Use it for a currency over time; use get_fx_rates instead for " +
			"one day and convert_currency to convert an amount. Business days only: weekends and holidays are " +
			"absent. Free, no key needed. An empty items list means that the currency was not published in that range.",
		Tool: true, Errors: []*problem.Kind{problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in getFXRateHistoryInput) (op.Answer[RateHistory], error) {
		items, fresh, err := in.find(ctx, fixings, maxHistoryDays)
		if err != nil {
			return op.Answer[RateHistory]{}, err
		}
		if items == nil {
			items = []Quotation{}
		}

		history := RateHistory{Currency: in.Currency, Target: ro.RON, Unit: in.Currency.Unit(), Source: rateSource,
			From: in.From, To: in.To, Items: items}
		return op.Answer[RateHistory]{Value: history, Freshness: fresh}, nil
	})
	return history.WithExport(exportFXRateHistory(fixings))
}

// find returns the rates of the range, which may have at most a number of days; 0 means any number.
func (in *getFXRateHistoryInput) find(ctx context.Context, fixings Fixings, most ro.Date) ([]Quotation, op.Freshness,
	error) {
	if err := checkForeign(fixings, "currency", in.Currency); err != nil {
		return nil, op.Freshness{}, err
	}
	if err := in.settleRange(most); err != nil {
		return nil, op.Freshness{}, err
	}
	return fixings.Between(ctx, in.Currency, in.From, in.To)
}

// settleRange fills in the defaults and checks the range, which may end in the future: the series then ends with the
// last fixing.
func (in *getFXRateHistoryInput) settleRange(most ro.Date) error {
	if in.To == 0 {
		in.To = ro.Today()
	}
	if in.To < firstFixing {
		return op.OutOfRange("to", in.To, "a day from "+firstFixing.String()+" on",
			"it is before the first fixing, of "+firstFixing.String())
	}
	if in.From == 0 {
		in.From = max(in.To-defaultHistoryDays, firstFixing)
	}

	switch {
	case in.From > in.To:
		return op.EndsBeforeItBegins(in.From, in.To)
	case most > 0 && in.To-in.From > most:
		return op.TooLongRange(in.From, in.To, most, max(in.To-most, firstFixing))
	case in.From < firstFixing:
		return op.OutOfRange("from", in.From, "a day from "+firstFixing.String()+" on",
			"it is before the first fixing, of "+firstFixing.String())
	}

	return nil
}
