package site

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
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

// timeline is an SVG drawing of periods on an axis of years. Positions on the axis are percentages, so that texts keep
// their size on any screen.
type timeline struct {
	Label string // for screen readers
	Rows  []timelineRow
	Ticks []tick
}

// timelineRow is one line of periods.
type timelineRow struct {
	Name  string
	Spans []span
}

// span is a period: its start and width on the axis, in percent.
type span struct {
	From, Width string
	Kind        kind
	Title       string
}

// tick is a year on the axis.
type tick struct{ At, Text string }

// axis maps days to positions.
type axis struct{ from, to ro.Date }

func (a axis) at(day ro.Date) float64 {
	return max(0, min(100, 100*float64(day-a.from)/float64(a.to-a.from)))
}

func percent(position float64) string { return fmt.Sprintf("%.2f%%", position) }

// span returns the part of the axis between two days. A nil day stands for that end of the axis.
func (a axis) span(from, to *ro.Date, k kind, title string) span {
	begin, end := 0.0, 100.0
	if from != nil {
		begin = a.at(*from)
	}
	if to != nil {
		end = a.at(*to)
	}

	return span{percent(begin), percent(max(.4, end-begin)), k, title} // even a single day is visible
}

// ticks returns at most five round years that are far enough apart for their labels.
func (a axis) ticks() (ticks []tick) {
	years := a.to.Year() - a.from.Year()
	step := 1
	for years/step > 5 {
		step++
	}

	for year := a.from.Year() + 1; year <= a.to.Year(); year++ {
		position := a.at(ro.NewDate(year, time.January, 1))
		if year%step == 0 && position > 3 && position < 95 {
			ticks = append(ticks, tick{percent(position), fmt.Sprint(year)})
		}
	}

	return ticks
}

// Timeline returns a drawing of the VAT registrations and the periods of inactivity, or nil if there are none.
func (p *companyPage) Timeline() *timeline {
	first := p.RegistrationDate
	for i := range p.VATPeriods {
		if from := p.VATPeriods[i].From; from != nil && (first == nil || *from < *first) {
			first = from
		}
	}

	idle := p.Inactive != nil && p.Inactive.Since != nil
	if first == nil || len(p.VATPeriods) == 0 && !idle || *first >= p.Today {
		return nil
	}

	a := axis{*first, p.Today}
	vat := timelineRow{Name: p.say("timeline.vat")}
	for _, period := range p.VATPeriods {
		vat.Spans = append(vat.Spans, a.span(period.From, period.To, good, p.spanOf(period.From, period.To)))
	}

	drawn := &timeline{Label: p.say("timeline.label", "from", p.dayOf(first), "to", p.dayOf(&p.Today)),
		Rows: []timelineRow{vat}, Ticks: a.ticks()}
	if idle {
		drawn.Rows = append(drawn.Rows, timelineRow{p.say("timeline.inactive"), []span{
			a.span(p.Inactive.Since, p.Inactive.Reactivated, bad,
				p.spanOf(p.Inactive.Since, p.Inactive.Reactivated)),
		}})
	}

	return drawn
}

// spanOf formats a period. to is the first day after the period.
func (w words) spanOf(from, to *ro.Date) string {
	if from != nil && to != nil {
		return w.say("onday.span", "from", w.dayOf(from), "to", w.dayOf(to))
	}
	return w.sayDay("onday.since", "from", from) + w.sayDay("onday.until", "to", to)
}

// VATRows are the registrations for VAT, the newest first.
func (p *companyPage) VATRows() (rows []vatRow) {
	for i := len(p.VATPeriods) - 1; i >= 0; i-- {
		period := p.VATPeriods[i]
		rows = append(rows, vatRow{p.spanOf(period.From, period.To),
			p.sayDay("onday.entered", "date", period.CanceledOn), deref(period.Reason)})
	}

	return rows
}

// vatRow is one registration for VAT in words.
type vatRow struct{ Span, Entered, Reason string }
