package standin

import (
	"fmt"
	"slices"

	"github.com/rodata/rodata/ro"
)

// collection is a company's data in the register of VAT on collection.
type collection struct {
	periods []Period         // as of today, oldest first
	lines   []collectionLine // of the daily file, in order of entry
}

// collectionLine is a line of the daily file.
type collectionLine struct {
	id                             int
	start, end, published, entered ro.Date
	kind                           byte // I registers, E corrects an error, D removes
}

// collection returns the company's periods in the register of VAT on collection, and the lines behind them. Of the
// companies that are in the register today, a third had an earlier period, a third had a wrong start corrected, and a
// third had the end of an earlier period corrected after the current one began. A few other companies were removed.
func (c *Company) collection() collection {
	var r collection
	switch {
	case c.OnCollection:
		first, from := c.VAT[0], c.VAT[len(c.VAT)-1].From+30
		switch c.index % 3 {
		case 0: // the end was entered a month early, and corrected much later
			start, end := first.From+30, first.To
			r.periods = []Period{{start, end}, {From: from}}
			r.register(c, start)
			r.enter(c, 'D', start, end-30, end-25)
			r.register(c, from)
			r.enter(c, 'E', start, end, from+40)
		case 1:
			start, end := first.From+30, first.To
			r.periods = []Period{{start, end}, {From: from}}
			r.register(c, start)
			r.enter(c, 'D', start, end, end+5)
			r.register(c, from)
		case 2: // the start was entered ten days late
			r.periods = []Period{{From: from}}
			r.enter(c, 'I', from+10, 0, from-4)
			r.enter(c, 'E', from, 0, from+20)
		}
	case len(c.VAT) == 3 && c.index%2 == 0:
		start, end := c.VAT[1].From+10, c.VAT[1].To
		r.periods = []Period{{start, end}}
		r.register(c, start)
		r.enter(c, 'D', start, end, end+12)
	}

	return r
}

// register enters a registration, four days before it begins.
func (r *collection) register(c *Company, start ro.Date) { r.enter(c, 'I', start, 0, start-4) }

// enter adds a line. It is published on the day after its entry.
func (r *collection) enter(c *Company, kind byte, start, end, entered ro.Date) {
	r.lines = append(r.lines, collectionLine{10*c.index + len(r.lines), start, end, entered + 1, entered, kind})
}

// CollectsVAT reports whether the company pays VAT on collection on a day, according to the register as of today.
func (c Company) CollectsVAT(day ro.Date) bool { return covers(c.collection().periods, day) }

// collect fills in the ordinary record's data on VAT on collection: the last period, and the status on a day.
func (t *taxpayer) collect(c *Company, day ro.Date) {
	r := c.collection()
	if len(r.periods) == 0 {
		return
	}

	// The line behind the last period is the last one that does not concern an earlier period.
	p := r.periods[len(r.periods)-1]
	lines := slices.DeleteFunc(r.lines, func(l collectionLine) bool { return l.start != p.From })
	line := lines[len(lines)-1]
	t.Collection.From, t.Collection.To = p.From.String(), text(p.To)
	t.Collection.Updated, t.Collection.Published = line.entered.String(), line.published.String()
	t.Collection.Act = map[byte]string{'I': "Inregistrare", 'D': "Radiere", 'E': "Decizie"}[line.kind]
	t.Collection.Applies = covers(r.periods, day)
}

func (l collectionLine) write(cui ro.CUI) string {
	return fmt.Sprintf("%d#%d#%s#%s#%s#%s#%c\n", l.id, cui, compact(l.start), compact(l.end), compact(l.published),
		compact(l.entered), l.kind)
}

// compact formats a day as YYYYMMDD. The zero day is the empty text.
func compact(d ro.Date) string {
	if d == 0 {
		return ""
	}
	return d.UTC().Format("20060102")
}
