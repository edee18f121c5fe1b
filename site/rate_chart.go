package site

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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

// lineChart is a chart of a series. The chart is stretched to the width of the page, so its labels are outside of the
// drawing, at equal distances.
type lineChart struct {
	Width, Height int
	// Line and Area are paths.
	Line, Area string
	// Grid lists the heights of the labels in Up, from the top down.
	Grid []float64
	Up   []string
	// Days are the dates below the drawing, from left to right.
	Days []ro.Date
}

const (
	chartWidth, chartHeight = 1000, 240
	// maxPoints is the maximum number of columns in the chart of a long series. Each column spans from its lowest to
	// its highest rate.
	maxPoints = 320
)

func newLineChart(w words, s *rateSeries) *lineChart {
	c := &lineChart{Width: chartWidth, Height: chartHeight}
	steps, decimals := ticks(float(s.Low.Rate), float(s.High.Rate))
	low, high := steps[0], steps[len(steps)-1]
	y := func(value float64) float64 { return chartHeight * (high - value) / (high - low) }
	for i := len(steps) - 1; i >= 0; i-- {
		c.Grid = append(c.Grid, y(steps[i]))
		c.Up = append(c.Up, w.decimal(strconv.FormatFloat(steps[i], 'f', decimals, 64)))
	}

	first, last := s.First().Date, s.Last().Date
	var path strings.Builder
	for i, q := range thinOut(s.Items) {
		letter := "L"
		if i == 0 {
			letter = "M"
		}

		x := chartWidth * float64(q.Date-first) / float64(last-first)
		fmt.Fprintf(&path, "%s%.1f %.1f", letter, x, y(float(q.Rate)))
	}

	c.Line = path.String()
	c.Area = fmt.Sprintf("%sL%d %dL0 %dZ", c.Line, chartWidth, chartHeight, chartHeight)

	for i := range ro.Date(4) {
		c.Days = append(c.Days, first+(last-first)*i/3)
	}

	return c
}

// float converts a rate to a coordinate.
func float(d ro.Decimal) float64 {
	f, _ := strconv.ParseFloat(d.String(), 64) // a decimal is a float's text
	return f
}

// ticks returns round values that cover a range, in ascending order, and the number of decimals that they need.
func ticks(low, high float64) (values []float64, decimals int) {
	spread := high - low
	if spread == 0 {
		spread = math.Max(high, 1e-4) / 10
	}

	power := math.Pow(10, math.Floor(math.Log10(spread/4)))
	step := 10 * power
	for _, n := range []float64{5, 2, 1} {
		if n*power >= spread/4 {
			step = n * power
		}
	}

	first, last := math.Floor(low/step), math.Ceil(high/step)
	if first == last {
		last++
	}

	for i := first; i <= last; i++ {
		values = append(values, i*step)
	}

	return values, max(0, -int(math.Floor(math.Log10(step)+1e-9)))
}

// thinOut reduces a long series to the lowest and the highest rate of each column, and the first and the last rate.
func thinOut(items []rate.Quotation) []rate.Quotation {
	if len(items) <= 2*maxPoints {
		return items
	}

	kept := []rate.Quotation{items[0]}
	for column := range maxPoints {
		part := items[column*len(items)/maxPoints : (column+1)*len(items)/maxPoints]
		low, high := slices.MinFunc(part, byRate), slices.MaxFunc(part, byRate)
		if low.Date > high.Date {
			low, high = high, low
		}

		kept = append(kept, low, high)
	}

	return append(kept, items[len(items)-1])
}
