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
