package site

import (
	"fmt"
	"math"
	"slices"

	"github.com/rodata/rodata/api/company"
)

// figureChart is one figure of the statements: the newest value in words, and a chart by year with its own scale.
// Horizontal positions are percentages, so that texts keep their size on any screen.
type figureChart struct {
	Name, Label string
	// Newest is the value of the newest statement, and Year its year. It is empty if the figure is not stated.
	Newest string
	Year   int
	Change string // from the year before
	Zero   string // the height of zero, in pixels from the top
	Bars   []figureBar
	Peers  *peerBand
}

// figureBar is the bar of a year. It has no height if the figure is not known.
type figureBar struct {
	Year             int
	IsLabelled       bool // the year is shown below the bar
	Known            bool
	Gap              bool // the company has no statement of the year
	Loss             bool // Value is negative
	Left, Width, Mid string
	Top, Height      string
	Text             string // the abbreviated figure; empty if there is no room for it
	TextAt           string // the vertical position of Text, in pixels
	Value            string // the figure in full, or the reason why it is not known
}

const (
	chartTop    = 18  // pixels above the tallest bar, for the text of its figure
	chartBottom = 100 // pixels from the top to the lowest bar's end
	// maxLabels is the number of bars up to which each shows its figure. Of more bars, only the highest and the lowest
	// do.
	maxLabels = 6
)

// Charts draw the main figures.
func (p *companyPage) Charts() (charts []figureChart) {
	years := slices.Clone(p.Years)
	slices.Reverse(years) // the oldest first
	for i, figure := range figures[:charted] {
		chart := p.drawFigure(years, figure.of)
		chart.Peers = p.band(i)
		chart.Name = p.say(figure.name)
		chart.Label = p.say("sheets.chart", "name", chart.Name, "from", years[0].Year, "to", years[len(years)-1].Year)
		chart.Year = p.Sheets[0].Year
		if value := figure.of(&p.Sheets[0]); value != nil {
			chart.Newest = p.figure(value, figure.isMoney)
			chart.Change = p.change(*value, figure.of)
		}

		charts = append(charts, chart)
	}

	return charts
}

// change describes how much a figure of the newest statement differs from the year before. It is empty for the first
// statement.
func (p *companyPage) change(value int64, of func(*company.BalanceSheet) *int64) string {
	if len(p.Sheets) == 1 {
		return ""
	}

	year, before := p.Sheets[0].Year-1, &p.Sheets[1]
	if before.Year != year || of(before) == nil {
		return p.say("sheets.noBefore", "year", year)
	}

	earlier := *of(before)
	if value == earlier {
		return p.say("sheets.same", "year", year)
	}

	change := p.signed(float64(value - earlier))
	if earlier > 0 && value >= 0 { // the percentage of a loss means nothing
		percent := math.Round(1000*float64(value-earlier)/float64(earlier)) / 10
		change += " (" + p.signed(percent) + p.say("sheets.percent") + ")"
	}

	return p.say("sheets.change", "change", change, "year", year)
}

// figure formats a figure of a statement: an amount in RON, or a number. It is empty if the figure is not stated.
func (w words) figure(value *int64, isMoney bool) string {
	switch {
	case value == nil:
		return ""
	case isMoney:
		return w.money(*value)
	}

	return w.number(*value)
}

// money formats an amount in whole RON.
func (w words) money(n int64) string {
	sign := ""
	if n < 0 { // the rules of plurals are those of positive numbers
		sign, n = "-", -n
	}
	return sign + must(w.plural("sheets.money", int(n)))
}

// signed formats a number with its sign, unless it is zero.
func (w words) signed(n float64) string {
	if n > 0 {
		return "+" + w.number(n)
	}
	return w.number(n)
}

// drawFigure draws the values of a figure in some years, the oldest first.
func (p *companyPage) drawFigure(years []statementYear, of func(*company.BalanceSheet) *int64) figureChart {
	low, high := int64(0), int64(0)
	lowest, highest := -1, -1 // the bars of the extremes; of equal ones, the newest
	for i, y := range years {
		if y.sheet == nil {
			continue
		}
		if value := deref(of(y.sheet)); value < 0 && value <= low {
			low, lowest = value, i
		} else if value > 0 && value >= high {
			high, highest = value, i
		}
	}

	if low == high {
		high = 1
	}

	below := 0.0
	if low < 0 {
		below = 14 // room for the text of a loss
	}

	y := func(value int64) float64 {
		return chartTop + (float64(high)-float64(value))/(float64(high)-float64(low))*(chartBottom-chartTop-below)
	}

	chart := figureChart{Zero: pixels(y(0))}
	room, step := 100/float64(len(years)), (len(years)+maxLabels-1)/maxLabels
	for i, year := range years {
		middle := room * (float64(i) + .5)
		bar := figureBar{Year: year.Year, IsLabelled: (len(years)-1-i)%step == 0, Mid: percent(middle),
			Left: percent(middle - room*.36), Width: percent(room * .72)}
		switch {
		case year.sheet == nil:
			bar.Gap, bar.Value = true, p.say(year.Gap)
		case of(year.sheet) == nil:
			bar.Value = p.say("sheets.unstated")
		default:
			value := *of(year.sheet)
			bar.Known, bar.Loss, bar.Value = true, value < 0, p.number(value)
			top, bottom := y(max(0, value)), y(min(0, value))
			bar.Top, bar.Height, bar.TextAt = pixels(top), pixels(max(1, bottom-top)), pixels(top-5)
			if bar.Loss {
				bar.TextAt = pixels(bottom + 12)
			}
			if step == 1 || i == lowest || i == highest {
				bar.Text = p.compact(value)
			}
		}

		chart.Bars = append(chart.Bars, bar)
	}

	return chart
}

func pixels(n float64) string { return fmt.Sprintf("%.1f", n) }

// compact formats a number with two or three digits and its magnitude: 1.3M.
func (w words) compact(n int64) string {
	magnitudes := [languages][3]string{{"k", "M", "bn"}, {" mii", " mil.", " mld."}}[w.lang]
	if -10_000 < n && n < 10_000 {
		return w.number(n)
	}

	value, i := float64(n)/1000, 0
	for math.Abs(value) >= 999.5 && i < len(magnitudes)-1 {
		value /= 1000
		i++
	}

	digits := math.Pow(10, float64(max(0, 1-int(math.Log10(math.Abs(value))))))
	return w.number(math.Round(value*digits)/digits) + magnitudes[i]
}
