package history

import (
	"math"

	"github.com/rodata/rodata/api"
)

// everything is later than any day on which something was recorded.
const everything api.Date = math.MaxInt32

// Timeline is what a register tells of one status of a company.
type Timeline struct {
	// Entries are in the order of their beginnings. None, beside an OnDay of false, means
	// that there never were any.
	Entries []Entry
	// Whole is true when these are all entries that there ever were, false when the register
	// tells the last one only.
	Whole bool
	// OnDay is the register's own word for the day that it was asked for; nil when it does
	// not say.
	OnDay *bool
}

// Reconcile marks an entry that has no end although the register says that the status does
// not hold on the day that it was asked for.
func (t *Timeline) Reconcile(day api.Date) {
	if t.OnDay == nil || *t.OnDay {
		return
	}
	for i := range t.Entries {
		e := &t.Entries[i]
		e.EndUnknown = !t.Whole && e.To == 0 && e.From <= day
	}
}

// on computes the status on a day from what was recorded by the end of another. The value
// is nil when the entries do not decide. The entry is the one that holds, else the last one
// that had begun.
func (t *Timeline) on(day, recorded api.Date) (value *bool, entry *Entry) {
	hidden := false
	for _, e := range t.Entries {
		if e.From > day {
			continue
		}
		known, ok := e.known(recorded)
		if !ok {
			hidden = true
			continue
		}
		if entry == nil || known.holds(day) || !entry.holds(day) {
			entry = &known
		}
	}

	switch {
	case entry != nil && entry.EndUnknown:
		return nil, nil
	case entry != nil:
		return new(entry.holds(day)), entry
	case t.Whole, hidden: // what precedes an entry has ended
		return new(false), nil
	case len(t.Entries) == 0 && t.OnDay != nil && !*t.OnDay:
		return new(false), nil
	}
	return nil, nil
}
