package receipt

import (
	"sync"

	"github.com/rodata/rodata/api"
)

// maxAnonymous bounds the new receipts of a day for callers without a key, all together, since
// nothing else does: 10 MB a day. Those of accounts are bounded by their credits.
const maxAnonymous = 5000

// allowance counts what callers without a key were given on a day.
type allowance struct {
	mu    sync.Mutex
	day   api.Date
	given int
}

// take reports whether there is another one on a day.
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
