package site

import (
	"slices"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/ro"
)

// rateSeries is the rates of a pair, by day, ascending.
type rateSeries struct {
	Items []rate.Quotation
	// Low and High are the lowest and the highest rate; of equal rates, the earliest one.
	Low, High rate.Quotation
	Change    *change
	Chart     *lineChart
	// Months is the series by month, for spans that are too long for a table of days.
	Months []monthOfRates
}

// monthOfRates are the lowest, highest and last rate of a month.
type monthOfRates struct {
	Low, High ro.Decimal
	Last      rate.Quotation
}

// maxDays is the maximum number of days in a table. Longer series are shown by month.
const maxDays = 260

// Days are the rates of a short series, the newest first.
func (s *rateSeries) Days() []rate.Quotation {
	if len(s.Items) > maxDays {
		return nil
	}

	days := slices.Clone(s.Items)
	slices.Reverse(days)
	return days
}

// First returns the first rate of the series.
func (s *rateSeries) First() rate.Quotation { return s.Items[0] }

// Last is the newest rate.
func (s *rateSeries) Last() rate.Quotation { return s.Items[len(s.Items)-1] }

// newRateSeries returns a series with its chart and tables. It must have at least two rates.
func newRateSeries(w words, items []rate.Quotation) *rateSeries {
	s := &rateSeries{Items: items, Low: slices.MinFunc(items, byRate), High: slices.MaxFunc(items, byRate)}
	s.Change = newChange(w, s.First().Rate, s.Last().Rate)
	s.Chart = newLineChart(w, s)
	if len(s.Items) > maxDays {
		s.Months = byMonth(s.Items)
	}

	return s
}

// joinRates returns the rates of a pair, given the rates of each currency in RON; those of RON itself are nil. The rate
// between two other currencies is the quotient of their rates, on days with both.
func joinRates(from, to []rate.Quotation) (items []rate.Quotation) {
	if to == nil {
		return from
	}

	dividends := make(map[ro.Date]ro.Decimal, len(from))
	for _, q := range from {
		dividends[q.Date] = q.Rate
	}

	for _, q := range to {
		dividend, ok := dividends[q.Date]
		if from == nil {
			dividend, ok = ro.Cents(1_00), true
		}
		if ok {
			items = append(items, rate.Quotation{Date: q.Date, Rate: dividend.Over(q.Rate, crossDigits)})
		}
	}

	return items
}

// crossDigits are the decimals or significant digits of a rate that is computed from two others, as in conversions.
const crossDigits = 6

func byRate(a, b rate.Quotation) int { return a.Rate.Cmp(b.Rate) }

// byMonth groups rates by month, the newest first.
func byMonth(items []rate.Quotation) (groups []monthOfRates) {
	for _, q := range items {
		n := len(groups)
		if n == 0 || groups[n-1].Last.Date.String()[:7] != q.Date.String()[:7] {
			groups = append(groups, monthOfRates{q.Rate, q.Rate, q})
			continue
		}

		month := &groups[n-1]
		month.Last = q
		if q.Rate.Cmp(month.Low) < 0 {
			month.Low = q.Rate
		}
		if q.Rate.Cmp(month.High) > 0 {
			month.High = q.Rate
		}
	}

	slices.Reverse(groups)
	return groups
}
