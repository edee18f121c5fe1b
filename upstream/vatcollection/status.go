package vatcollection

import (
	"errors"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// Trouble says why the newest file is not served.
type Trouble string

// The troubles.
const (
	None        Trouble = ""
	Absent      Trouble = "absent"      // there is no file of the last days
	Refused     Trouble = "refused"     // the content is not what it should be
	Unreachable Trouble = "unreachable" // the server does not answer as it should
)

// Status is the state of the register.
type Status struct {
	// Day is the day of the file that is held, zero before the first.
	Day api.Date
	// Rows is the number of its lines.
	Rows int
	// Checked is when a check for a newer file last succeeded; zero if never.
	Checked time.Time
	// Trouble is why the last check failed, None if it succeeded.
	Trouble Trouble
	// Breaker is the state of the server's breaker.
	Breaker upstream.BreakerState
}

// Status returns the current state.
func (r *Register) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Status{Checked: r.checked, Trouble: troubleOf(r.err), Breaker: r.breaker.State()}
	if t := r.held.Load(); t != nil {
		s.Day, s.Rows = t.day, len(t.rows)
	}
	return s
}

func troubleOf(err error) Trouble {
	switch {
	case err == nil:
		return None
	case errors.Is(err, errAbsent):
		return Absent
	case errors.Is(err, errRefused):
		return Refused
	}
	return Unreachable
}
