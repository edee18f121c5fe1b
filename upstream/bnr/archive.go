package bnr

import (
	"slices"
	"time"

	"github.com/bits-and-blooms/bitset"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/ro"
)

// archive holds every fixing ever fetched, in memory. It also records for which days it is complete. That distinguishes
// a Saturday, which has no fixing, from a day that has not been fetched. It is not safe for concurrent use.
type archive struct {
	entries []entry       // ascending by date
	known   bitset.BitSet // days
}

// entry is a fixing and the time of its retrieval.
type entry struct {
	rate.Fixing
	retrieved time.Time
}

// span is a range of days, both inclusive.
type span struct{ from, to ro.Date }

// newest returns the day of the latest fixing, or 0.
func (a *archive) newest() ro.Date {
	if len(a.entries) == 0 {
		return 0
	}
	return a.entries[len(a.entries)-1].Date
}

// last returns the index of the last fixing on or before a day, or -1.
func (a *archive) last(day ro.Date) int {
	i, found := slices.BinarySearchFunc(a.entries, day, func(e entry, d ro.Date) int { return int(e.Date - d) })
	if found {
		return i
	}
	return i - 1
}

// entriesBetween returns the fixings from one day to another, both inclusive.
func (a *archive) entriesBetween(from, to ro.Date) []entry {
	begin, end := a.last(from-1)+1, a.last(to)+1
	return a.entries[begin:max(begin, end)]
}

// knows reports whether the archive is complete for a day.
func (a *archive) knows(day ro.Date) bool { return day > 0 && a.known.Test(uint(day)) }

// knownFrom returns the first day of the unbroken range of known days that ends with a known day.
func (a *archive) knownFrom(day ro.Date) ro.Date {
	gap, _ := a.known.PreviousClear(uint(day))
	return ro.Date(gap) + 1
}

// runs returns the ranges of known days between two days.
func (a *archive) runs(begin, end ro.Date) (all []span) {
	for day := begin; day <= end; day++ {
		n := len(all)
		switch {
		case !a.knows(day):
		case n > 0 && all[n-1].to == day-1:
			all[n-1].to = day
		default:
			all = append(all, span{day, day})
		}
	}

	return all
}

// learn marks a range of days as complete, and reports whether that was new.
func (a *archive) learn(s span) (news bool) {
	for day := s.from; day <= s.to; day++ {
		news = news || !a.knows(day)
		a.known.Set(uint(day))
	}
	return news
}

// forget marks a range of days as incomplete and returns the years affected.
func (a *archive) forget(s span) (years []int) {
	for day := s.from; day <= s.to; day++ {
		if a.knows(day) && !slices.Contains(years, day.Year()) {
			years = append(years, day.Year())
		}
		a.known.Clear(uint(day))
	}

	return years
}

// doubt forgets the days between the former newest fixing and the current one, if the bank should have published on one
// of them. The bank may have served an outdated document in the meantime, so that the archive wrongly recorded these
// days as having no fixing. It returns the years affected.
func (a *archive) doubt(before ro.Date) (years []int) {
	newest := a.newest()
	if before == 0 || countExpected(before, newest-1) == 0 {
		return nil
	}
	return a.forget(span{before + 1, newest - 1})
}

// lacks returns the year of the document that is needed to answer for a range of days. It reports false if none is.
// Days after the newest fixing need none if no fixing is expected on them, or if the range reaches today, because the
// latest fixing is then the answer.
func (a *archive) lacks(run span, today ro.Date) (year int, lacking bool) {
	for day := max(run.from, firstDay); day <= run.to; day++ {
		if a.knows(day) {
			continue
		}

		newest := a.newest()
		if newest != 0 && day > newest && (run.to >= today || countExpected(newest, run.to) == 0) {
			return 0, false
		}

		return day.Year(), true
	}

	return 0, false
}

// lacksSome reports whether days of a year up to the newest fixing are unknown.
func (a *archive) lacksSome(year int) bool {
	begin, end := ro.NewDate(year, time.January, 1), ro.NewDate(year, time.December, 31)
	newest := a.newest()
	_, lacking := a.lacks(span{begin, min(end, newest)}, newest+1)
	return lacking || newest == 0
}

// lacksFixing is like lacks, for the last fixing on or before a day, which may be in the previous year.
func (a *archive) lacksFixing(day, today ro.Date) (year int, lacking bool) {
	if year, lacking = a.lacks(span{day, day}, today); lacking {
		return year, true
	}
	if !a.knows(day) {
		return 0, false
	}
	if from, i := a.knownFrom(day), a.last(day); from > firstDay && (i < 0 || a.entries[i].Date < from) {
		return (from - 1).Year(), true
	}

	return 0, false
}

// lacksNewest returns the year of the document that is needed for the last n fixings. It reports false if none is.
func (a *archive) lacksNewest(n int) (year int, lacking bool) {
	from := a.knownFrom(a.newest())
	if !a.knows(a.newest()) || from <= firstDay || len(a.entries)-1-a.last(from-1) >= n {
		return 0, false
	}
	return (from - 1).Year(), true
}

// lastQuoted returns the last day on or before a given one on which a currency was quoted. If there is none back to
// searched, where the known range begins, it returns 0.
func (a *archive) lastQuoted(c ro.Currency, day ro.Date) (found, searched ro.Date) {
	i := a.last(day)
	if i < 0 {
		return 0, firstDay
	}

	searched = min(a.knownFrom(a.entries[i].Date), a.entries[i].Date)
	for ; i >= 0 && a.entries[i].Date >= searched; i-- {
		if _, quoted := rateOf(a.entries[i].Fixing, c); quoted {
			return a.entries[i].Date, searched
		}
	}

	return 0, searched
}

// volume returns the archive's content of a year.
func (a *archive) volume(year int) volume {
	begin, end := ro.NewDate(year, time.January, 1), ro.NewDate(year, time.December, 31)
	return volume{year: year, known: a.runs(begin, end), entries: a.entriesBetween(begin, end)}
}
