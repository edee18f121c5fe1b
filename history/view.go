package history

import (
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// View is a parsed record: the tax authority's data about a company at one time.
type View struct {
	// Day is the day of the requested statuses.
	Day ro.Date
	// At is the time of the tax authority's answer.
	At time.Time
	// Registered is the day on which the company was registered. It is zero if the record does not say.
	Registered ro.Date
	Timelines  [StatusCount]Timeline
	// Record is the record itself.
	Record company.Record
	// Identity holds the record's fields other than statuses, without names of persons.
	Identity []Field
	// Phone is the telephone number, which is no fact: only changes of it are reported. It is empty if the record has
	// none.
	Phone string
}

// Field is a named value of a record. The value is empty if the record lacks the field.
type Field struct{ Name, Value string }

// answeredOn returns the day of the tax authority's answer.
func (v *View) answeredOn() ro.Date { return ro.DateIn(v.At, ro.Bucharest) }

// StatusOn returns the status on a day according to the view. If the view was requested for that day, this is the
// register's own statement. Otherwise it is computed from the entries. The value is nil if the entries do not determine
// it, or if the day is after the view's own, because it is undocumented whether the tax authority returns later entries
// when asked about a past day.
func (v *View) StatusOn(s Status, day ro.Date) (value *bool, entry *Entry) {
	if day > v.Day {
		return nil, nil
	}

	value, entry = v.statusOn(s, day, forever)
	if own := v.Timelines[s].OnDay; day == v.Day && own != nil {
		value = SinceRegistration(own, day, v.Registered)
	}

	return value, entry
}

// statusOn computes the status on a day from the information recorded by the end of the day recorded: see
// [Timeline.statusOn].
func (v *View) statusOn(s Status, day, recorded ro.Date) (value *bool, entry *Entry) {
	value, entry = v.Timelines[s].statusOn(day, recorded)
	if SinceRegistration(value, day, v.Registered) == nil {
		return nil, nil
	}
	return value, entry
}

// SinceRegistration returns the value of a status on a day, or nil if the value is false and the company was registered
// only later: there was no company that could have lacked the status. registered is zero if unknown.
func SinceRegistration(value *bool, day, registered ro.Date) *bool {
	if value != nil && !*value && day < registered {
		return nil
	}
	return value
}

// Contradicts reports whether the entries of the view and the register's own statement disagree about its day.
func (v *View) Contradicts(s Status) bool {
	computed, _ := v.statusOn(s, v.Day, forever)
	return differ(computed, v.Timelines[s].OnDay)
}
