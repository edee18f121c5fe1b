package api

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
)

type getFXRateHistoryInput struct {
	Currency Currency `arg:"currency" required:"true" doc:"Currency, an ISO 4217 code." example:"EUR"`
	From     Date     `arg:"from" doc:"First day, YYYY-MM-DD; when left out, 30 days before to." example:"2026-06-01"`
	To       Date     `arg:"to" doc:"Last day, YYYY-MM-DD, at most 366 days after from; when left out, today." example:"2026-06-30"`
}

// RateHistory is the series of rates of a currency.
type RateHistory struct {
	Currency Currency    `json:"currency" doc:"ISO 4217 code."`
	Target   Currency    `json:"target" doc:"Always RON."`
	Source   string      `json:"source" doc:"The publisher: BNR, the National Bank of Romania."`
	From     Date        `json:"from" doc:"First day asked for."`
	To       Date        `json:"to" doc:"Last day asked for."`
	Items    []Quotation `json:"items" doc:"The rates, by day, ascending; business days only."`
}

const (
	maxHistoryDays     = 366
	defaultHistoryDays = 30
)

func getFXRateHistory(fixings Fixings) *Operation {
	return Define(Spec{
		Name: "get_fx_rate_history", Method: "GET", Path: "/v1/fx-rates/history", Tag: "Exchange rates",
		Title: "Get the exchange-rate history of one currency",
		Description: "Official reference rates of the National Bank of Romania (BNR) for one currency over a range of at most 366 days, in RON for 1 unit. " +
			"Use it for a currency over time; use get_fx_rates instead for one day and convert_currency to convert an amount. For a longer history ask for one year at a time. " +
			"Business days only: weekends and holidays are absent. Free, no key needed. An empty items list means that the currency was not published in that range.",
		Tool: true, Errors: []*problem.Kind{problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in getFXRateHistoryInput) (Answer[RateHistory], error) {
		var none Answer[RateHistory]
		if err := checkForeign(fixings, "currency", in.Currency); err != nil {
			return none, err
		}
		if err := in.settleRange(); err != nil {
			return none, err
		}

		items, fresh, err := fixings.Between(ctx, in.Currency, in.From, in.To)
		if err != nil {
			return none, err
		}
		if items == nil {
			items = []Quotation{}
		}

		history := RateHistory{Currency: in.Currency, Target: RON, Source: rateSource, From: in.From, To: in.To, Items: items}
		return Answer[RateHistory]{Value: history, Freshness: fresh}, nil
	})
}

// settleRange fills in the defaults and checks the range, which may end in the future: the
// series ends with the last fixing.
func (in *getFXRateHistoryInput) settleRange() error {
	if in.To == 0 {
		in.To = Today()
	}
	if in.To < firstFixing {
		return outOfRange("to", in.To, "a day from "+firstFixing.String()+" on", "it is before the first fixing, which is of "+firstFixing.String())
	}
	if in.From == 0 {
		in.From = max(in.To-defaultHistoryDays, firstFixing)
	}

	switch {
	case in.From > in.To:
		return endsBeforeItBegins(in.From, in.To)
	case in.To-in.From > maxHistoryDays:
		return tooLongRange(in.From, in.To, maxHistoryDays, max(in.To-maxHistoryDays, firstFixing))
	case in.From < firstFixing:
		return outOfRange("from", in.From, "a day from "+firstFixing.String()+" on", "it is before the first fixing, which is of "+firstFixing.String())
	}

	return nil
}
