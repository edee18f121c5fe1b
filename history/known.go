package history

import (
	"slices"

	"github.com/rodata/rodata/api"
)

// Knowledge is what could be known of a status.
type Knowledge struct {
	// Value is nil when nothing decides.
	Value *bool
	// Entry is the entry that the value rests on, as it was known; nil without one.
	Entry *Entry
	// Observed is the view of that time that says so; nil when it was computed from the days
	// on which a later view says that its entries were recorded.
	Observed *View
}

// Known answers what could be known, by the end of one day, of a status on another. It uses
// nothing that was recorded later. The newest view may be nil; the views that were observed
// are in the order of time.
//
// An observation takes precedence over what is computed, unless the register itself has
// recorded something between the observation and the end of the day that changes the value.
// It says nothing about days after it.
func Known(s Status, day, known api.Date, newest *View, observed []View) Knowledge {
	computed := Knowledge{}
	if newest != nil && day <= newest.taken() {
		computed.Value, computed.Entry = newest.Timelines[s].on(day, known)
	}

	for i := range slices.Backward(observed) {
		o := &observed[i]
		if o.taken() > known {
			continue
		}
		value, entry := o.On(s, day)
		if value == nil {
			continue
		}
		if newest != nil {
			then, _ := newest.Timelines[s].on(day, o.taken())
			if differ(then, computed.Value) {
				break
			}
		}
		return Knowledge{Value: value, Entry: entry, Observed: o}
	}

	return computed
}

// differ reports that two values are known and not the same.
func differ(a, b *bool) bool { return a != nil && b != nil && *a != *b }
