package vatcollection

import (
	"cmp"
	"slices"

	"github.com/rodata/rodata/api"
)

// Period is a line of the register: that a company applies VAT on collection in [From, To),
// as the register shows it in [Recorded, Replaced). A status on a day D as known on a day K
// is true if a period with StoodOn(K) and Holds(D) exists.
type Period struct {
	// From is the first day.
	From api.Date
	// To is the first day without; zero when no end is recorded.
	To api.Date
	// Published and Entered are the days that the line itself states; zero when it does not.
	Published, Entered api.Date
	// Recorded is since when the register shows the period like this: the later of Published
	// and Entered.
	Recorded api.Date
	// Replaced is when a later line ended, corrected or withdrew the period; zero while it
	// stands.
	Replaced api.Date
}

// Holds reports whether a day lies in the period.
func (p Period) Holds(day api.Date) bool { return p.From <= day && (p.To == 0 || day < p.To) }

// StoodOn reports whether the register showed the period like this at the end of a day.
func (p Period) StoodOn(day api.Date) bool {
	return p.Recorded <= day && (p.Replaced == 0 || day < p.Replaced)
}

// periodsOf reads the lines of one company, which are in the order of their entry. It
// returns the newest line first.
func periodsOf(rows []row) []Period {
	var all []Period
	for _, r := range rows {
		p := r.period()
		if replaced := concerned(all, r.kind(), p); replaced >= 0 {
			all[replaced].Replaced = p.Recorded
			p.From = cmp.Or(p.From, all[replaced].From)
		}
		if p.From == 0 || p.To != 0 && p.To <= p.From { // it only withdraws
			continue
		}
		all = append(all, p)
	}

	slices.Reverse(all)
	return all
}

// concerned returns the index of the standing period that a line is about, or -1.
func concerned(all []Period, k kind, p Period) int {
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

// overlaps reports whether two periods have a day in common. An absent start of the other
// one is long ago.
func (p Period) overlaps(o Period) bool {
	return (p.To == 0 || o.From < p.To) && (o.To == 0 || p.From < o.To)
}
