package rate

import (
	"cmp"
	"context"
	"slices"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type convertCurrencyInput struct {
	Amount ro.Amount   `arg:"amount" required:"true" doc:"Amount to convert: a plain decimal." example:"2500"`
	From   ro.Currency `arg:"from" required:"true" doc:"Currency of the amount: ISO 4217, also RON." example:"EUR"`
	To     ro.Currency `arg:"to" required:"true" doc:"Target currency: ISO 4217, also RON." example:"USD"`
	Date   ro.Date     `arg:"date" doc:"Day from 2005-01-03 to today; default the latest fixing." example:"2026-06-10"`
	Basis  Basis       `arg:"basis" default:"fixing" doc:"fixing: the last one published on or before the day. invoice: the last one before it, for Romanian invoices (Fiscal Code art. 290)."`
}

// Conversion is an amount in another currency.
type Conversion struct {
	Amount ro.Decimal  `json:"amount" doc:"Amount converted."`
	From   ro.Currency `json:"from" doc:"Its currency."`
	To     ro.Currency `json:"to" doc:"Currency of the result."`
	Date   ro.Date     `json:"date" doc:"Date of the fixing applied."`
	Rate   ro.Decimal  `json:"rate" brief:"Price of 1 unit of from in to." doc:"Price of 1 unit of from in to, rounded half up to 6 decimals or 6 significant digits, whichever shows more."`
	Result ro.Decimal  `json:"result" doc:"The amount times the unrounded rate, rounded half up to 4 decimals or 4 significant digits, whichever shows more."`
	Unit   ro.Unit     `json:"unit,omitempty" doc:"gram if one of the currencies is XAU: a gram of gold, where ISO 4217 means a troy ounce. Absent otherwise."`
	Source string      `json:"source" doc:"The publisher: BNR, the National Bank of Romania."`
}

const (
	rateDigits   = 6
	resultDigits = 4
)

// Convert returns the operation convert_currency.
func Convert(fixings Fixings) *op.Operation {
	return op.Define(op.Spec{
		Name: "convert_currency", Method: "GET", Path: "/v1/fx-rates/convert", Tag: tag.ExchangeRates,
		Title: "Convert an amount at the official rate",
		Description: "Converts an amount at the official reference rates of the National Bank of Romania (BNR), " +
			"through RON between two foreign currencies. Use it to convert an amount on a date; use get_fx_rates " +
			"instead for the rates themselves. For a weekend, a holiday or a day not yet published, the previous " +
			"fixing applies, and date gives its day. XAU is a gram of gold. Free, no key needed. A currency that is " +
			"not in that fixing returns a 404 that says when it last was.",
		Tool: true, Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable,
			problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in convertCurrencyInput) (op.Answer[Conversion], error) {
		var none op.Answer[Conversion]
		known := fixings.Currencies()
		if err := cmp.Or(checkCurrency(known, "from", in.From), checkCurrency(known, "to", in.To)); err != nil {
			return none, err
		}

		fixing, fresh, _, err := fixingFor(ctx, fixings, in.Date, in.Basis)
		if err != nil {
			return none, err
		}

		price, missing := fixing.prices(in.From, in.To)
		if missing != nil {
			return none, notQuoted(ctx, fixings, fixing.Date, missing...)
		}

		return op.Answer[Conversion]{Freshness: fresh, Value: Conversion{
			Amount: in.Amount.Decimal, From: in.From, To: in.To, Date: fixing.Date, Source: rateSource,
			Unit:   cmp.Or(in.From.Unit(), in.To.Unit()),
			Rate:   price[0].Over(price[1], rateDigits),
			Result: in.Amount.Times(price[0]).Over(price[1], resultDigits),
		}}, nil
	})
}

// checkCurrency rejects unknown currencies. RON is accepted, and suggested for the common names of the leu.
func checkCurrency(known []ro.Currency, name string, c ro.Currency) error {
	e := unknownCurrency(known, name, c)
	if e == nil || c == ro.RON {
		return nil
	}

	e.Accepted += ", RON"
	if meant, ok := ro.CurrencyNamed(string(c)); ok {
		e.Suggestion = string(meant)
	}

	return problem.Invalid(e)
}

var one, _ = ro.ParseDecimal("1")

// prices returns the prices of both currencies in RON, and lists those missing from the fixing.
func (f *Fixing) prices(from, to ro.Currency) (price [2]ro.Decimal, missing []ro.Currency) {
	for i, c := range [2]ro.Currency{from, to} {
		rate, ok := one, true
		if c != ro.RON {
			rate, ok = f.In(c)
		}
		if !ok && !slices.Contains(missing, c) {
			missing = append(missing, c)
		}

		price[i] = rate
	}

	return price, missing
}
