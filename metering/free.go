package metering

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// freeCalls counts calls that cost nothing until they are written.
type freeCalls struct {
	mu   sync.Mutex
	sums map[freeSum]*[2]int64 // calls, hits
}

// freeSum is the key of a sum. The day is a number, so that counting a call does not format text.
type freeSum struct {
	account, operation string
	day                int64 // since 1970-01-01, in UTC
}

const secondsOfDay = 24 * 60 * 60

func (f *freeCalls) count(account, operation string, hit bool, now time.Time) {
	id := freeSum{account, operation, dayOf(now)}
	f.mu.Lock()
	defer f.mu.Unlock()
	sum := f.sums[id]
	if sum == nil {
		if f.sums == nil {
			f.sums = make(map[freeSum]*[2]int64)
		}

		sum = new([2]int64)
		f.sums[id] = sum
	}

	sum[0]++
	if hit {
		sum[1]++
	}
}

// take returns and resets the sums.
func (f *freeCalls) take() map[freeSum]*[2]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	sums := f.sums
	f.sums = nil
	return sums
}

// putBack returns sums that could not be written.
func (f *freeCalls) putBack(sums map[freeSum]*[2]int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, since := range f.sums {
		if sum := sums[id]; sum != nil {
			since[0] += sum[0]
			since[1] += sum[1]
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
		calls = append(calls, Calls{Account: id.account, Day: day, Operation: id.operation, Calls: sum[0],
			Hits: sum[1]})
	}

	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	if err := l.journal.Count(ctx, calls); err != nil {
		l.free.putBack(sums)
		return fmt.Errorf("counting free calls: %w", err)
	}

	return nil
}
