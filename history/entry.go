package history

import (
	"cmp"

	"github.com/rodata/rodata/api"
)

// Entry is one entry of a register: a status holds in [From, To).
type Entry struct {
	// From is the first day; zero if the register does not give it.
	From api.Date
	// To is the first day on which it no longer holds; zero if it is open.
	To api.Date
	// EndUnknown is true if the register shows that the status no longer holds, without giving the end. To is zero
	// then.
	EndUnknown bool
	// FromRecorded and ToRecorded are the days since which the register has shown the beginning and the end: their
	// transaction times. They are zero if the register does not give them; the beginning or end then counts as recorded
	// on the day itself.
	FromRecorded, ToRecorded api.Date
	// Replaced is the day since which the register no longer shows the entry, because another one ended, corrected or
	// withdrew it; zero if it is current.
	Replaced api.Date
	// Reason is the reason for its end, in the register's words; empty if not given.
	Reason string
}

// Recorded returns the day since which the register has shown the entry in this form; zero if not given.
func (e *Entry) Recorded() api.Date {
	if e.To != 0 {
		return e.ToRecorded
	}
	return e.FromRecorded
}

// known returns the entry as the register showed it at the end of a day; false if it did not. An end that was not yet
// recorded is open.
func (e Entry) known(at api.Date) (Entry, bool) {
	if cmp.Or(e.FromRecorded, e.From) > at || e.Replaced != 0 && e.Replaced <= at {
		return Entry{}, false
	}
	if e.To != 0 && cmp.Or(e.ToRecorded, e.To) > at {
		e.To, e.ToRecorded, e.Reason = 0, 0, ""
	}
	return e, true
}

func (e *Entry) holds(day api.Date) bool { return e.From <= day && (e.To == 0 || day < e.To) }
