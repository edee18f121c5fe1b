package history

import (
	"time"

	"github.com/rodata/rodata/api"
)

// View is what the tax authority showed of a company at one time: one of its records, read.
type View struct {
	// Day is whose statuses were asked for.
	Day api.Date
	// At is when the tax authority answered.
	At        time.Time
	Timelines [Statuses]Timeline
	// Record is the record itself.
	Record api.Record
	// Identity is what the record says beside statuses; no persons.
	Identity []Field
}

// Field is a named value of a record; empty when the record does not say.
type Field struct{ Name, Value string }

// taken is the day on which the tax authority answered.
func (v *View) taken() api.Date { return api.DateIn(v.At, api.Bucharest) }

// On is the status on a day according to the view: the register's own word if it was asked
// for that day, else what its entries say. The value is nil when they do not decide, or
// when the day is after the view's own: whether the tax authority tells the later entries
// too, when it is asked about a past day, is not documented.
func (v *View) On(s Status, day api.Date) (value *bool, entry *Entry) {
	if day > v.Day {
		return nil, nil
	}
	t := &v.Timelines[s]
	value, entry = t.on(day, everything)
	if day == v.Day && t.OnDay != nil {
		value = t.OnDay
	}
	return value, entry
}

// Contradicts reports that the entries of the view say something else about its own day
// than the register's word does.
func (v *View) Contradicts(s Status) bool {
	t := &v.Timelines[s]
	computed, _ := t.on(v.Day, everything)
	return computed != nil && t.OnDay != nil && *computed != *t.OnDay
}
