package site

import (
	"fmt"
	"time"

	"github.com/rodata/rodata/ro"
)

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

// spanOf formats a period by its first and last day. The argument to is the first day after the period.
func (w words) spanOf(from, to *ro.Date) string {
	if to != nil {
		to = new(*to - 1)
	}
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
