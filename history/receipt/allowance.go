package receipt

import (
	"sync"

	"github.com/rodata/rodata/api"
)

// maxAnonymous bounds the daily number of new receipts for all callers without a key together, who have no other limit:
// 10 MB a day. Accounts are limited by their credits.
const maxAnonymous = 5000

// allowance counts the daily receipts for callers without a key.
type allowance struct {
	mu    sync.Mutex
	day   api.Date
	given int
}

// take reports whether another one is allowed on a day.
func (a *allowance) take(day api.Date) bool {
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
