package history

import (
	"cmp"

	"github.com/rodata/rodata/ro"
)

// Entry is one entry of a register: a status holds in [From, To).
type Entry struct {
	// From is the first day. It is zero if the register does not give it.
	From ro.Date
	// To is the first day on which the status no longer holds. It is zero if the entry is open.
	To ro.Date
	// EndUnknown is true if the register shows that the status no longer holds, but does not give the end. To is then
	// zero.
	EndUnknown bool
	// FromRecorded and ToRecorded are the transaction times of the start and the end: the days since which the register
	// has shown them. A zero day means that the register does not give it; the start or end then counts as recorded on
	// its own day.
	FromRecorded, ToRecorded ro.Date
	// Replaced is the day since which the register no longer shows the entry, because another entry ended, corrected or
	// withdrew it. It is zero if the entry is current.
	Replaced ro.Date
	// Reason is the reason for the end, in the register's words. It is empty if the register gives none.
	Reason string
}

// Recorded returns the day since which the register has shown the entry in this form. It is zero if the register does
// not give it.
func (e *Entry) Recorded() ro.Date {
	if e.To != 0 {
		return e.ToRecorded
	}
	return e.FromRecorded
}

// knownAt returns the entry as the register showed it at the end of a day. It reports false if the register did not
// show the entry. If the end was not yet recorded, the entry is open.
func (e Entry) knownAt(at ro.Date) (Entry, bool) {
	if cmp.Or(e.FromRecorded, e.From) > at || e.Replaced != 0 && e.Replaced <= at {
		return Entry{}, false
	}
	if e.To != 0 && cmp.Or(e.ToRecorded, e.To) > at {
		e.To, e.ToRecorded, e.Reason = 0, 0, ""
	}
	return e, true
}

func (e *Entry) holds(day ro.Date) bool { return e.From <= day && (e.To == 0 || day < e.To) }
