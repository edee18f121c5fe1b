package site

import (
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// fixingPage is the data of the rates of a day.
type fixingPage struct {
	rate.DayRates
	// Previous is the day of the previous fixing; zero if there is none.
	Previous ro.Date
	Rows     []fixingRow
	// Today is the last day that a visitor can choose.
	Today    ro.Date
	Outdated bool
}

// HasMoved reports whether the fixing is from another day than the requested one.
func (p fixingPage) HasMoved() bool { return p.Date != p.RequestedDate }

// fixingRow is a currency in a fixing.
type fixingRow struct {
	rate.Rate
	Change *change // since the previous fixing; nil if that fixing does not have the currency
}

// change is how much a rate differs from an earlier one.
type change struct {
	// Up and Down are both false if the rate has not changed.
	Up, Down bool
	// Percent is the absolute difference in percent, with two decimals.
	Percent string
}

// newChange compares a rate with an earlier one, which is not zero.
func newChange(w words, earlier, later ro.Decimal) *change {
	percent := math.Round((float(later)/float(earlier)-1)*100_00) / 100
	c := &change{Up: percent > 0, Down: percent < 0}
	c.Percent = w.decimal(strconv.FormatFloat(math.Abs(percent), 'f', 2, 64))
	return c
}

// loadFixing loads the rates of a day and of the previous fixing.
func loadFixing(v *visit) (any, error) {
	fixing, err := ask[rate.DayRates](v, "get_fx_rates", "date", v.day("date"))
	if err != nil {
		return nil, fixingInputs.rename(err)
	}

	// The rule for invoices picks the last fixing before a day. Before the first one, there is none.
	previous, _ := ask[rate.DayRates](v, "get_fx_rates", "date", fixing.Date.String(), "basis",
		string(rate.InvoiceBasis))
	page := fixingPage{DayRates: fixing, Previous: previous.Date, Today: ro.Today(), Outdated: v.outdated}
	earlier := make(map[ro.Currency]ro.Decimal)
	for _, rate := range previous.Items {
		earlier[rate.Currency] = rate.Rate
	}

	for _, rate := range fixing.Items {
		row := fixingRow{Rate: rate}
		if previous, ok := earlier[rate.Currency]; ok && previous.Sign() > 0 {
			row.Change = newChange(words{v.lang}, previous, rate.Rate)
		}

		page.Rows = append(page.Rows, row)
	}

	return page, nil
}

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
	Currency []ro.Currency    // the currencies to choose from
	Failure  *problem.Problem // of the history
	Outdated bool

	words
	inRON struct{ from, to []rate.Quotation } // the history of each currency, as returned by years
}

// History is the history of the pair. It is nil if it has fewer than two rates or could not be loaded.
func (p ratePage) History() *rateSeries {
	items := joinRates(p.inRON.from, p.inRON.to)
	if p.Failure != nil || len(items) < 2 {
		return nil
	}

	return newRateSeries(p.words, items)
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
func loadRate(v *visit) (any, error) {
	written := v.r.PathValue("currency")
	page := ratePage{From: ro.Currency(strings.ToUpper(written)), To: ro.Currency(strings.ToUpper(v.param("to"))),
		Today: ro.Today(), words: words{v.lang}}
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

	page.Date = v.day("date")
	if page.Latest, err = v.convert(&page, "1", page.Date, "", &page.Missing); err != nil {
		return nil, err
	}

	if page.Amount = v.amount("amount"); page.Amount != "" && page.Latest != nil {
		if page.Converted, err = v.convert(&page, page.Amount, page.Date, "", nil); err != nil {
			return nil, err
		}
	}

	if page.Day = v.day("day"); page.Day != "" {
		if page.Invoice, err = v.convert(&page, "1", page.Day, rate.InvoiceBasis, &page.Refused); err != nil {
			return nil, err
		}
	}

	return page, v.loadHistory(&page)
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
	if err != nil && basis == rate.InvoiceBasis {
		return nil, invoiceInputs.rename(err)
	}
	if err != nil {
		return nil, fixingInputs.rename(err)
	}

	return &converted, nil
}

// The inputs of the pages about rates have names of their own, because rates begin later than the statuses of
// companies, and an invoice needs a fixing from before its day.
var (
	fixingInputs  = inputNames{"from": "currency", "to": "currency", "date": "fixingDate"}
	invoiceInputs = inputNames{"from": "currency", "to": "currency", "date": "invoiceDate"}
)

// loadHistory loads the rates of the page's span. If they cannot be loaded, the page says so.
func (v *visit) loadHistory(page *ratePage) error {
	page.Spans, page.Span = spans, defaultSpan
	if span := v.param("span"); slices.Contains(spans, span) {
		page.Span = span
	}

	page.Since = since(page.Span, page.Today)

	var err error
	if page.inRON.from, err = v.years(page.From, page.Since, page.Today); err == nil {
		page.inRON.to, err = v.years(page.To, page.Since, page.Today)
	}

	page.Outdated = v.outdated
	if errors.As(err, &page.Failure) && page.Failure.Status() >= 500 {
		return nil
	}

	return err
}

// years loads the rates of a currency by calendar year, because the operation returns at most one year per call and
// the answers about past years never change. It returns nil for RON.
func (v *visit) years(currency ro.Currency, from, to ro.Date) (all []rate.Quotation, err error) {
	if currency == ro.RON {
		return nil, nil
	}

	all = []rate.Quotation{}
	for year := from.Year(); year <= to.Year(); year++ {
		first, last := max(from, ro.NewDate(year, time.January, 1)), min(to, ro.NewDate(year, time.December, 31))
		part, err := ask[rate.RateHistory](v, "get_fx_rate_history", "currency", string(currency), "from",
			first.String(), "to", last.String())
		if err != nil {
			return nil, err
		}

		all = append(all, part.Items...)
	}

	return all, nil
}
