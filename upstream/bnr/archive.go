package bnr

import (
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
)

// archive is every fixing ever fetched, in memory. It also knows of which days
// it has all there is: that a Saturday has no fixing is knowledge, that a year
// has not been fetched yet is not. It is not safe for concurrent use.
type archive struct {
	entries []entry // ascending by date
	known   []span  // ascending, not touching
}

// entry is a fixing and when the bank gave it.
type entry struct {
	api.Fixing
	retrieved time.Time
}

// span is a run of days, both ends included.
type span struct{ from, to api.Date }

// correctable is how many of the newest fixings the bank may still correct: as
// many as its ten-day document has. Older ones never change.
const correctable = 10

// newest is the day of the latest fixing, 0 when there is none.
func (a *archive) newest() api.Date {
	if len(a.entries) == 0 {
		return 0
	}
	return a.entries[len(a.entries)-1].Date
}

// last is the index of the last fixing on or before a day, or -1.
func (a *archive) last(day api.Date) int {
	i, found := slices.BinarySearchFunc(a.entries, day, func(e entry, d api.Date) int { return int(e.Date - d) })
	if found {
		return i
	}
	return i - 1
}

// spanOf is the run of known days around a day.
func (a *archive) spanOf(day api.Date) (span, bool) {
	i, _ := slices.BinarySearchFunc(a.known, day, func(s span, d api.Date) int { return int(s.to - d) })
	if i == len(a.known) || a.known[i].from > day {
		return span{}, false
	}
	return a.known[i], true
}

// learn adds a run of days of which the archive has all there is, and reports
// whether it says anything new.
func (a *archive) learn(s span) bool {
	if have, ok := a.spanOf(s.from); ok && have.to >= s.to || s.to < s.from {
		return false
	}
	kept := a.known[:0:0]
	for _, have := range a.known {
		if have.to+1 < s.from || have.from > s.to+1 {
			kept = append(kept, have)
			continue
		}
		s = span{min(s.from, have.from), max(s.to, have.to)}
	}
	kept = append(kept, s)
	slices.SortFunc(kept, func(a, b span) int { return int(a.from - b.from) })
	a.known = kept
	return true
}

// forget takes a run of days out of those that are known. It gives the years of
// which it took any.
func (a *archive) forget(s span) (years []int) {
	kept := a.known[:0:0]
	for _, have := range a.known {
		from, to := max(have.from, s.from), min(have.to, s.to)
		if to < from {
			kept = append(kept, have)
			continue
		}
		if have.from < from {
			kept = append(kept, span{have.from, from - 1})
		}
		if to < have.to {
			kept = append(kept, span{to + 1, have.to})
		}
		for year := from.Year(); year <= to.Year(); year++ {
			years = append(years, year)
		}
	}
	a.known = kept
	return years
}

// doubt forgets the days between the fixing that was the newest and the one that
// is now, if the bank should have published on one of them: that they have no
// fixing was learnt from its latest document, which may have been an old one all
// that time. It gives the years of these days.
func (a *archive) doubt(before api.Date) (years []int) {
	newest := a.newest()
	if before == 0 || expected(before, newest-1) == 0 {
		return nil
	}
	return a.forget(span{before + 1, newest - 1})
}

// lacks is the year whose document is needed to tell the fixings of a run of
// days; false when it is not needed. The days after the newest fixing need
// nothing as long as none of them should have one, or the run reaches today:
// then the question is for the latest there is.
func (a *archive) lacks(run span, today api.Date) (year int, lacking bool) {
	for day := max(run.from, firstDay); day <= run.to; {
		if s, ok := a.spanOf(day); ok {
			day = s.to + 1
			continue
		}
		newest := a.newest()
		if newest != 0 && day > newest && (run.to >= today || expected(newest, run.to) == 0) {
			return 0, false
		}
		return day.Year(), true
	}
	return 0, false
}

// lacksFixing is like lacks for the last fixing on or before a day, which may
// lie in the year before.
func (a *archive) lacksFixing(day, today api.Date) (year int, lacking bool) {
	if year, lacking = a.lacks(span{day, day}, today); lacking {
		return year, true
	}
	s, ok := a.spanOf(day)
	if i := a.last(day); ok && s.from > firstDay && (i < 0 || a.entries[i].Date < s.from) {
		return (s.from - 1).Year(), true
	}
	return 0, false
}

// lastQuoted is the last day on or before a day on which a currency was quoted,
// 0 when there is none as far back as the days before it are known: searched is
// how far that is.
func (a *archive) lastQuoted(c api.Currency, day api.Date) (found, searched api.Date) {
	i := a.last(day)
	if i < 0 {
		return 0, firstDay
	}
	s, _ := a.spanOf(a.entries[i].Date)
	for ; i >= 0 && a.entries[i].Date >= s.from; i-- {
		if _, quoted := rateOf(a.entries[i].Fixing, c); quoted {
			return a.entries[i].Date, s.from
		}
	}
	return 0, s.from
}

// merging is what came of adding a document to the archive.
type merging struct {
	changed   map[int]bool // years
	corrected []api.Date   // fixings of the newest ten that the bank changed
	refused   []api.Date   // older ones that differ, and stay as they are
}

// merge adds fixings, which must ascend. Those stored stay as they are, except
// the newest ten.
func (a *archive) merge(fixings []api.Fixing, now time.Time) merging {
	m := merging{changed: map[int]bool{}}
	merged := slices.Clone(a.entries)
	var differing []api.Fixing
	for _, f := range fixings {
		i := a.last(f.Date)
		if i < 0 || a.entries[i].Date != f.Date {
			merged = append(merged, entry{f, now})
			m.changed[f.Date.Year()] = true
		} else if !equalRates(a.entries[i].Rates, f.Rates) {
			differing = append(differing, f)
		}
	}
	slices.SortFunc(merged, func(a, b entry) int { return int(a.Date - b.Date) })
	a.entries = merged
	for _, f := range differing {
		i := a.last(f.Date)
		if i < len(a.entries)-correctable {
			m.refused = append(m.refused, f.Date)
			continue
		}
		a.entries[i] = entry{f, now}
		m.corrected = append(m.corrected, f.Date)
		m.changed[f.Date.Year()] = true
	}
	return m
}

func equalRates(a, b []api.Rate) bool {
	return slices.EqualFunc(a, b, func(a, b api.Rate) bool { return a.Currency == b.Currency && a.Rate.Cmp(b.Rate) == 0 })
}

// comparableDays is how far apart two fixings may lie for a jump between them to
// be suspicious.
const comparableDays = 31

// plausible refuses fixings in which a currency moves by more than a factor
// since the fixing before, in the document or in the archive.
func (a *archive) plausible(fixings []api.Fixing, factor api.Decimal) error {
	var before api.Fixing
	if i := a.last(fixings[0].Date - 1); i >= 0 {
		before = a.entries[i].Fixing
	}
	for _, f := range fixings {
		if f.Date-before.Date <= comparableDays {
			if err := plausibleStep(before, f, factor); err != nil {
				return err
			}
		}
		before = f
	}
	return nil
}

func plausibleStep(before, after api.Fixing, factor api.Decimal) error {
	for _, r := range after.Rates {
		old, ok := rateOf(before, r.Currency)
		if !ok {
			continue
		}
		if r.Rate.Cmp(old.Times(factor)) > 0 || r.Rate.Times(factor).Cmp(old) < 0 {
			return fmt.Errorf("implausible: %s is %s RON on %s after %s on %s",
				r.Currency, r.Rate, after.Date, old, before.Date)
		}
	}
	return nil
}
