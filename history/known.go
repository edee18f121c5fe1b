package history

import (
	"slices"

	"github.com/rodata/rodata/ro"
)

// Knowledge is what was known about a status.
type Knowledge struct {
	// Value is nil if unknown.
	Value *bool
	// Entry is the entry behind the value, as it was known then. It is nil if there is none.
	Entry *Entry
	// Observed is the view from that time behind the value. It is nil if the value was computed from a later view, by
	// the days on which the entries were recorded.
	Observed *View
}

// Known returns what was known, at the end of the day known, about a status on day. It uses no information recorded
// later. The newest view may be nil. The observed views are in chronological order.
//
// An observation takes precedence over a computed value, unless the register itself recorded a change of the value
// between the observation and the end of the day. An observation implies nothing about later days.
func Known(s Status, day, known ro.Date, newest *View, observed []View) Knowledge {
	computed := Knowledge{}
	if newest != nil && day <= newest.answeredOn() {
		computed.Value, computed.Entry = newest.statusOn(s, day, known)
	}

	for i := range slices.Backward(observed) {
		o := &observed[i]
		if o.answeredOn() > known {
			continue
		}

		value, entry := o.StatusOn(s, day)
		if value == nil {
			continue
		}

		if newest != nil {
			then, _ := newest.statusOn(s, day, o.answeredOn())
			if differ(then, computed.Value) {
				break
			}
		}

		return Knowledge{Value: value, Entry: entry, Observed: o}
	}

	return computed
}

// differ reports whether two values are known and different.
func differ(a, b *bool) bool { return a != nil && b != nil && *a != *b }
