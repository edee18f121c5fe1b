package history

import (
	"time"

	"github.com/rodata/rodata/api"
)

// View is a parsed record: the tax authority's data about a company at one time.
type View struct {
	// Day is the day of the requested statuses.
	Day api.Date
	// At is the time of the tax authority's answer.
	At        time.Time
	Timelines [Statuses]Timeline
	// Record is the record itself.
	Record api.Record
	// Identity has the record's fields other than statuses, without names of persons.
	Identity []Field
}

// Field is a named value of a record. The value is empty if the record lacks the field.
type Field struct{ Name, Value string }

// taken returns the day of the tax authority's answer.
func (v *View) taken() api.Date { return api.DateIn(v.At, api.Bucharest) }

// On returns the status on a day according to the view. If the view was requested for that day, this is the register's
// own statement. Otherwise it is computed from the entries. The value is nil if the entries do not determine it, or if
// the day is after the view's own, because it is undocumented whether the tax authority returns later entries when
// asked about a past day.
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

// Contradicts reports whether the entries of the view and the register's own statement disagree about its day.
func (v *View) Contradicts(s Status) bool {
	t := &v.Timelines[s]
	computed, _ := t.on(v.Day, everything)
	return computed != nil && t.OnDay != nil && *computed != *t.OnDay
}
