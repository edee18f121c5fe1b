package history

import (
	"cmp"

	"github.com/rodata/rodata/api"
)

// Entry is one entry of a register: that a status holds in [From, To).
type Entry struct {
	// From is the first day; zero when the register does not say.
	From api.Date
	// To is the first day on which it no longer holds; zero while it does.
	To api.Date
	// EndUnknown is true when the register says that the status no longer holds, but not since
	// when. To is zero then.
	EndUnknown bool
	// FromRecorded and ToRecorded are the days since which the register shows the beginning
	// and the end: their transaction time. They are zero where the register does not say; a
	// beginning then counts as recorded on the day itself, and so does an end.
	FromRecorded, ToRecorded api.Date
	// Replaced is the day since which the register no longer shows the entry, because another
	// one ended, corrected or withdrew it; zero while it stands.
	Replaced api.Date
	// Reason is why it ended, in the register's words; empty when it does not say.
	Reason string
}

// Recorded is the day since which the register shows the entry as it is; zero when it does
// not say.
func (e *Entry) Recorded() api.Date {
	if e.To != 0 {
		return e.ToRecorded
	}
	return e.FromRecorded
}

// known is the entry as the register showed it at the end of a day; false if not at all. An
// end that was not yet recorded is open.
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
