package vatcollection

import (
	"errors"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// Trouble is the reason why the newest file is not served.
type Trouble string

// The troubles.
const (
	None        Trouble = ""
	Absent      Trouble = "absent"      // there is no file for the last days
	Refused     Trouble = "refused"     // the content is unexpected
	Unreachable Trouble = "unreachable" // the server fails
)

// Status is the state of the register.
type Status struct {
	// Day is the day of the loaded file. It is zero before the first file.
	Day ro.Date
	// Rows is the number of its lines.
	Rows int
	// Checked is the time of the last successful check for a newer file. It is zero if there was none.
	Checked time.Time
	// Trouble is the reason for the failure of the last check. It is None after a success.
	Trouble Trouble
	// Breaker is the state of the server's breaker.
	Breaker upstream.BreakerState
}

// Status returns the current state.
func (r *Register) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.held.Load()
	return Status{
		Day: t.day, Rows: len(t.rows), Checked: r.checked, Trouble: troubleOf(r.err), Breaker: r.breaker.State(),
	}
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
