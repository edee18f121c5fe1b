package receipt

import (
	"sync"

	"github.com/rodata/rodata/ro"
)

// maxAnonymous bounds the number of new receipts a day for all callers without a key together, and for answers about no
// company: tens of MB a day. Others are limited by the credits of their accounts.
const maxAnonymous = 5000

// allowance counts the daily receipts for callers without a key.
type allowance struct {
	mu    sync.Mutex
	day   ro.Date
	given int
}

// admit counts a receipt, and reports whether it is still allowed on this day.
func (a *allowance) admit(day ro.Date) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.day != day {
		a.day, a.given = day, 0
	}
	if a.given >= maxAnonymous {
		return false
	}

	a.given++
	return true
}
