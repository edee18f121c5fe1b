package metering

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// freeCalls counts calls that cost nothing, in memory until they are written (write-behind).
type freeCalls struct {
	mu   sync.Mutex
	sums map[freeKey]*freeSum
}

// freeKey is the key of a sum. The day is a number, so that counting a call does not format text.
type freeKey struct {
	account, operation string
	day                int64 // as dayOf returns it
}

type freeSum struct{ calls, hits int64 }

const secondsOfDay = 24 * 60 * 60

func (f *freeCalls) count(account, operation string, hit bool, now time.Time) {
	id := freeKey{account, operation, dayOf(now)}
	f.mu.Lock()
	defer f.mu.Unlock()
	sum := f.sums[id]
	if sum == nil {
		if f.sums == nil {
			f.sums = make(map[freeKey]*freeSum)
		}

		sum = new(freeSum)
		f.sums[id] = sum
	}

	sum.calls++
	if hit {
		sum.hits++
	}
}

// take returns and resets the sums.
func (f *freeCalls) take() map[freeKey]*freeSum {
	f.mu.Lock()
	defer f.mu.Unlock()
	sums := f.sums
	f.sums = nil
	return sums
}

// putBack adds sums that could not be written to those counted since.
func (f *freeCalls) putBack(sums map[freeKey]*freeSum) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, since := range f.sums {
		if sum := sums[id]; sum != nil {
			since.calls += sum.calls
			since.hits += sum.hits
		}

		sums[id] = since
	}

	f.sums = sums
}

// writeFree writes the sums.
func (l *Ledger) writeFree() error {
	sums := l.free.take()
	if len(sums) == 0 {
		return nil
	}

	calls := make([]Calls, 0, len(sums))
	for id, sum := range sums {
		day := Day(time.Unix(id.day*secondsOfDay, 0))
		calls = append(calls, Calls{Account: id.account, Day: day, Operation: id.operation, Calls: sum.calls,
			Hits: sum.hits})
	}

	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	if err := l.journal.Count(ctx, calls); err != nil {
		l.free.putBack(sums)
		return fmt.Errorf("counting free calls: %w", err)
	}

	return nil
}
