package history

import (
	"math"

	"github.com/rodata/rodata/ro"
)

// forever is later than any day of recording.
const forever ro.Date = math.MaxInt32

// Timeline is a register's data about one status of a company.
type Timeline struct {
	// Entries are ordered by their first days. If there are none and OnDay is false, the status never held.
	Entries []Entry
	// Whole is true if Entries contains all entries that ever existed, and false if the register shows only the last
	// one.
	Whole bool
	// OnDay is the register's own statement about the requested day. It is nil if the register makes none.
	OnDay *bool
}

// Reconcile marks an open entry if the register states that the status does not hold on the requested day.
func (t *Timeline) Reconcile(day ro.Date) {
	if t.OnDay == nil || *t.OnDay {
		return
	}

	for i := range t.Entries {
		e := &t.Entries[i]
		e.EndUnknown = !t.Whole && e.To == 0 && e.From <= day
	}
}

// statusOn computes the status on a day from the information recorded by the end of the day recorded. The value is nil
// if the entries do not determine it. The entry is the one that holds on the day, or else the last one that had begun.
func (t *Timeline) statusOn(day, recorded ro.Date) (value *bool, entry *Entry) {
	hidden := false
	for _, e := range t.Entries {
		if e.From > day {
			continue
		}

		known, ok := e.knownAt(recorded)
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
	case t.Whole, hidden: // the entries before it have ended
		return new(false), nil
	case len(t.Entries) == 0 && t.OnDay != nil && !*t.OnDay:
		return new(false), nil
	}

	return nil, nil
}
