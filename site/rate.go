package site

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// ratePage is the data of a currency's page.
type ratePage struct {
	From, To ro.Currency
	// Date is the requested day; empty for the latest fixing.
	Date string
	// Latest is the conversion of 1 unit at the fixing. It is nil if the fixing does not have one of the currencies;
	// Missing then has the details.
	Latest  *rate.Conversion
	Missing *rate.NotQuoted
	// Amount is the amount to convert. Converted is the result; nil if there is no amount.
	Amount    string
	Converted *rate.Conversion
	// Day is the day of an invoice. Invoice is the rate that applies to it; if there is none, Refused explains why.
	Day      string
	Invoice  *rate.Conversion
	Refused  *rate.NotQuoted
	Span     string
	Spans    []string
	Since    ro.Date
	Today    ro.Date
	Currency []ro.Currency // the currencies to choose from
	History  *rateSeries   // nil if it has fewer than two rates or could not be loaded
	Failure  *problem.Problem
	Outdated bool
}

// Inverse is the address of the page with the two currencies swapped.
func (p ratePage) Inverse() string { return "/rates/" + string(p.To) + "?to=" + string(p.From) }

// Address is the address of the page with another span.
func (p ratePage) Address(span string) string {
	to := string(p.To)
	if p.To == ro.RON {
		to = ""
	}
	return "/rates/" + string(p.From) + "?" +
		encodeParams([]string{"to", to, "span", span, "date", p.Date, "day", p.Day, "amount", p.Amount}).Encode()
}

// Export is the address of the history as a file. The operation has rates in RON only.
func (p ratePage) Export(lang language) string {
	delimiter := ""
	if lang == romanian {
		delimiter = ";"
	}
	return "/v1/fx-rates/history?" + encodeParams([]string{
		"currency", string(p.From), "from", p.Since.String(), "to", p.Today.String(), "format", "csv",
		"delimiter", delimiter,
	}).Encode()
}

// spans are the lengths of the history that a visitor can choose.
var spans = []string{"month", "quarter", "year", "five", "all"}

const defaultSpan = "year"

// firstRate is the first day with a fixing in the central bank's files.
var firstRate = ro.NewDate(2005, time.January, 3)

// since returns the first day of a span that ends today.
func since(span string, today ro.Date) ro.Date {
	t := today.UTC()
	switch span {
	case "month":
		t = t.AddDate(0, -1, 0)
	case "quarter":
		t = t.AddDate(0, -3, 0)
	case "five":
		t = t.AddDate(-5, 0, 0)
	case "all":
		return firstRate
	default:
		t = t.AddDate(-1, 0, 0)
	}

	return ro.NewDate(t.Date())
}

// loadRate loads a currency's rate and its history, in RON or in another currency.
func loadRate(v *visit) (content, error) {
	written := v.r.PathValue("currency")
	page := ratePage{From: ro.Currency(strings.ToUpper(written)), To: ro.Currency(strings.ToUpper(v.param("to"))),
		Today: ro.Today()}
	if string(page.From) != written {
		return nil, v.canonical("/rates/" + url.PathEscape(string(page.From)))
	}
	if page.To == "" {
		page.To = ro.RON
	}
	if page.From == page.To {
		return nil, &redirect{"/rates"}
	}

	fixing, err := ask[rate.DayRates](v, "get_fx_rates")
	if err != nil {
		return nil, err
	}

	page.Currency = append(page.Currency, ro.RON)
	for _, rate := range fixing.Items {
		if rate.Currency != page.From {
			page.Currency = append(page.Currency, rate.Currency)
		}
	}

	page.Date = v.param("date")
	if page.Latest, err = v.convert(&page, "1", page.Date, "", &page.Missing); err != nil {
		return nil, err
	}

	if page.Amount = strings.ReplaceAll(v.param("amount"), ",", "."); page.Amount != "" && page.Latest != nil {
		if page.Converted, err = v.convert(&page, page.Amount, page.Date, "", nil); err != nil {
			return nil, err
		}
	}

	if page.Day = v.param("day"); page.Day != "" {
		if page.Invoice, err = v.convert(&page, "1", page.Day, rate.InvoiceBasis, &page.Refused); err != nil {
			return nil, err
		}
	}

	return v.loadHistory(&page)
}

// convert converts an amount between the currencies of the page at the fixing for a day. If a currency was not quoted,
// it sets missing.
func (v *visit) convert(page *ratePage, amount, day string, basis rate.Basis,
	missing **rate.NotQuoted) (*rate.Conversion, error) {
	converted, err := ask[rate.Conversion](v, "convert_currency", "amount", amount, "from", string(page.From), "to",
		string(page.To), "date", day, "basis", string(basis))
	if p, ok := errors.AsType[*problem.Problem](err); ok && p.Kind == problem.NotFound && missing != nil {
		unquoted, _ := p.Extensions.(rate.NotQuoted)
		*missing = &unquoted
		return nil, nil
	}
	if err != nil {
		return nil, conversionInputs.rename(err)
	}

	return converted, nil
}

// conversionInputs are the names of the inputs of conversions.
var conversionInputs = inputNames{"from": "currency", "to": "currency"}

// loadHistory loads the rates of the page's span. If they cannot be loaded, the page says so.
func (v *visit) loadHistory(page *ratePage) (content, error) {
	page.Spans, page.Span = spans, defaultSpan
	if span := v.param("span"); slices.Contains(spans, span) {
		page.Span = span
	}

	page.Since = since(page.Span, page.Today)

	from, err := v.years(page.From, page.Since, page.Today)
	var to []*op.Document
	if err == nil && page.To != ro.RON {
		to, err = v.years(page.To, page.Since, page.Today)
	}

	if errors.As(err, &page.Failure) {
		if page.Failure.Status() < 500 {
			return nil, err
		}
		err = nil
	}

	page.Outdated = v.outdated
	return func() (any, error) {
		if page.Failure != nil {
			return page, nil
		}

		series, err := newRateSeries(from, to)
		if err == nil && len(series.Items) > 1 {
			series.draw(words{v.lang})
			page.History = series
		}

		return page, err
	}, err
}

// years loads the rates of a currency by calendar year, because the operation returns at most one year per call and
// the answers about past years never change.
func (v *visit) years(currency ro.Currency, from, to ro.Date) (parts []*op.Document, err error) {
	if currency == ro.RON {
		return nil, nil
	}

	for year := from.Year(); year <= to.Year(); year++ {
		first, last := max(from, ro.NewDate(year, time.January, 1)), min(to, ro.NewDate(year, time.December, 31))
		part, err := v.call("get_fx_rate_history", "currency", string(currency), "from", first.String(), "to",
			last.String())
		if err != nil {
			return nil, err
		}

		parts = append(parts, part)
	}

	return parts, nil
}
