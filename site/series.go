package site

import (
	"slices"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
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

// newRateSeries joins answers of the history. The central bank publishes rates in RON. The rate between two other
// currencies is the quotient of their rates, on days with both. For RON itself, from or to is empty.
func newRateSeries(from, to []*op.Document) (*rateSeries, error) {
	above, err := quotations(from)
	if err != nil {
		return nil, err
	}

	below, err := quotations(to)
	if err != nil {
		return nil, err
	}

	switch {
	case to == nil:
		return &rateSeries{Items: above}, nil
	case from == nil:
		for i := range below {
			below[i].Rate = ro.Cents(1_00).Over(below[i].Rate, crossDigits)
		}
		return &rateSeries{Items: below}, nil
	}

	divisors := make(map[ro.Date]ro.Decimal, len(below))
	for _, q := range below {
		divisors[q.Date] = q.Rate
	}

	s := &rateSeries{}
	for _, q := range above {
		if divisor, ok := divisors[q.Date]; ok {
			s.Items = append(s.Items, rate.Quotation{Date: q.Date, Rate: q.Rate.Over(divisor, crossDigits)})
		}
	}

	return s, nil
}

// crossDigits are the decimals or significant digits of a rate that is computed from two others, as in conversions.
const crossDigits = 6

func quotations(parts []*op.Document) (all []rate.Quotation, err error) {
	for _, part := range parts {
		history, err := decode[rate.RateHistory](part)
		if err != nil {
			return nil, err
		}

		all = append(all, history.Items...)
	}

	return all, nil
}

func byRate(a, b rate.Quotation) int { return a.Rate.Cmp(b.Rate) }

// draw computes the chart and the tables of a series. The series must have at least two rates.
func (s *rateSeries) draw(w words) {
	s.Low, s.High = slices.MinFunc(s.Items, byRate), slices.MaxFunc(s.Items, byRate)
	s.Change = newChange(w, s.First().Rate, s.Last().Rate)
	s.Chart = newLineChart(w, s)
	if len(s.Items) > maxDays {
		s.Months = byMonth(s.Items)
	}
}

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
