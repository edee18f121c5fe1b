package site

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
)

// sheetChart is a chart of one figure of the balance sheets by year, with its own scale. Horizontal positions are
// percentages, so that texts keep their size on any screen.
type sheetChart struct {
	Name, Label string
	Zero        string // the height of zero, in pixels from the top
	Bars        []sheetBar
}

// sheetBar is the bar of a year. It has no height if the figure is unknown.
type sheetBar struct {
	Year              int
	Known             bool
	Loss              bool
	Left, Width, Mid  string
	Top, Height, Text string // the bar
	TextAt            string
	Value             string // in full
}

const (
	chartTop    = 22  // pixels above the tallest bar, for the text of its figure
	chartBottom = 124 // pixels from the top to the lowest bar's end
)

// Charts draw turnover, result and employees.
func (p *companyPage) Charts() (charts []sheetChart) {
	for _, figure := range sheetFigures[:3] {
		charts = append(charts, p.sheetChart(p.say(figure.name), figure.of))
	}
	return charts
}

// sheetFigures are the figures of balance sheets that pages show.
var sheetFigures = []struct {
	name string
	of   func(*company.BalanceSheet) *int64
}{
	{"sheets.turnover", func(b *company.BalanceSheet) *int64 { return b.Turnover }},
	{"sheets.net", func(b *company.BalanceSheet) *int64 { return b.NetResult }},
	{"sheets.employees", func(b *company.BalanceSheet) *int64 { return b.Employees }},
	{"sheets.equity", func(b *company.BalanceSheet) *int64 { return b.Equity }},
	{"sheets.debts", func(b *company.BalanceSheet) *int64 { return b.Debts }},
}

func (p *companyPage) sheetChart(name string, of func(*company.BalanceSheet) *int64) sheetChart {
	sheets := slices.Clone(p.BalanceSheets)
	slices.Reverse(sheets) // the oldest first
	low, high := 0.0, 0.0
	for i := range sheets {
		if value := of(&sheets[i]); value != nil {
			low, high = min(low, float64(*value)), max(high, float64(*value))
		}
	}

	if low == high {
		high = 1
	}

	below := 0.0
	if low < 0 {
		below = 16 // room for the text of a loss
	}

	y := func(value float64) float64 { return chartTop + (high-value)/(high-low)*(chartBottom-chartTop-below) }

	chart := sheetChart{Name: name, Zero: fmt.Sprintf("%.1f", y(0))}
	room := 100 / float64(len(sheets))
	var values []string
	for i := range sheets {
		middle := room * (float64(i) + .5)
		bar := sheetBar{Year: sheets[i].Year, Mid: percent(middle), Left: percent(middle - room*.31),
			Width: percent(room * .62), Value: "–"}
		if value := of(&sheets[i]); value != nil {
			bar.Known, bar.Loss, bar.Value, bar.Text = true, *value < 0, p.number(*value), p.compact(*value)
			top, bottom := y(max(0, float64(*value))), y(min(0, float64(*value)))
			bar.Top, bar.Height, bar.TextAt = fmt.Sprintf("%.1f", top), fmt.Sprintf("%.1f", max(1, bottom-top)),
				fmt.Sprintf("%.1f", top-6)
			if bar.Loss {
				bar.TextAt = fmt.Sprintf("%.1f", bottom+13)
			}
		}

		chart.Bars = append(chart.Bars, bar)
		values = append(values, fmt.Sprintf("%d: %s", bar.Year, bar.Value))
	}

	chart.Label = name + ". " + strings.Join(values, "; ")
	return chart
}

// SheetHeadings are the columns of the table of balance sheets.
func (p *companyPage) SheetHeadings() (headings []string) {
	for _, figure := range sheetFigures {
		headings = append(headings, p.say(figure.name))
	}
	return headings
}

// sheetRow is a row of the table of balance sheets.
type sheetRow struct {
	Year    int
	Figures []string
}

// SheetRows are the rows of the table of balance sheets, the newest first.
func (p *companyPage) SheetRows() (rows []sheetRow) {
	for i := range p.BalanceSheets {
		row := sheetRow{Year: p.BalanceSheets[i].Year}
		for _, figure := range sheetFigures {
			text := "–"
			if value := figure.of(&p.BalanceSheets[i]); value != nil {
				text = p.number(*value)
			}

			row.Figures = append(row.Figures, text)
		}

		rows = append(rows, row)
	}

	return rows
}

// MissingYears lists the years for which balance sheets are still being fetched.
func (p *companyPage) MissingYears() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(missingYears(p.Company)), " ", ", "), "[]")
}

func missingYears(c *company.Company) []int {
	if s := sourceOf(c.Sources, "anaf-bilant"); s != nil {
		return s.Missing
	}
	return nil
}

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
