package vatcollection

import (
	"cmp"
	"slices"

	"github.com/rodata/rodata/ro"
)

// Period is a line of the register: a company applies VAT on collection in [From, To), and the register shows this line
// in [Recorded, Replaced). According to what was known on a day K, the status held on a day D if a period that the
// register showed on K contains D.
type Period struct {
	// From is the first day.
	From ro.Date
	// To is the first day without VAT on collection. It is zero if no end is recorded.
	To ro.Date
	// Recorded is the day since which the register has shown the period in this form: the later of the line's days of
	// publication and entry.
	Recorded ro.Date
	// Replaced is the day on which a later line ended, corrected or withdrew the period. It is zero if the period is
	// current.
	Replaced ro.Date
}

// periodsOf returns the periods of the lines of one company. The lines must be in order of entry. The period of the
// newest line comes first.
func periodsOf(rows []row) []Period {
	var all []Period
	for _, r := range rows {
		p := r.period()
		if replaced := concernedPeriod(all, r.kind(), p); replaced >= 0 {
			all[replaced].Replaced = p.Recorded
			p.From = cmp.Or(p.From, all[replaced].From)
		}
		if p.From == 0 || p.To != 0 && p.To <= p.From { // the line only withdraws a period
			continue
		}

		all = append(all, p)
	}

	slices.Reverse(all)
	return all
}

// concernedPeriod returns the index of the current period that a line refers to, or -1.
func concernedPeriod(all []Period, k kind, p Period) int {
	found := -1
	for i, old := range all {
		switch {
		case old.Replaced != 0:
		case old.From == p.From:
			return i
		case k == registration:
		case old.overlaps(p) && (found < 0 || all[found].From < old.From):
			found = i
		}
	}

	return found
}

// overlaps reports whether two periods have a day in common. If the other one has no start, it counts as having started
// long ago.
func (p Period) overlaps(o Period) bool {
	return (p.To == 0 || o.From < p.To) && (o.To == 0 || p.From < o.To)
}
