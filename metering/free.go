package metering

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/internal/writebehind"
)

// freeCalls counts calls that cost nothing, in memory until they are written.
type freeCalls = writebehind.Buffer[freeKey, freeSum]

// freeKey is the key of a sum. The day is a number, so that counting a call does not format text.
type freeKey struct {
	account, operation string
	day                int64 // as dayOf returns it
}

type freeSum struct{ calls, hits int64 }

func (s freeSum) plus(other freeSum) freeSum {
	return freeSum{s.calls + other.calls, s.hits + other.hits}
}

const secondsOfDay = 24 * 60 * 60

// CountFree counts a successful free call. Counts are written once a minute; a killed process loses the counts of the
// last minute.
func (l *Ledger) CountFree(account, operation string, hit bool) {
	sum := freeSum{calls: 1}
	if hit {
		sum.hits = 1
	}

	l.free.Add(freeKey{account, operation, dayOf(time.Now())}, sum)
}

func (l *Ledger) writeFree(ctx context.Context, sums map[freeKey]freeSum) error {
	calls := make([]Calls, 0, len(sums))
	for id, sum := range sums {
		day := Day(time.Unix(id.day*secondsOfDay, 0))
		calls = append(calls, Calls{Account: id.account, Day: day, Operation: id.operation, Calls: sum.calls,
			Hits: sum.hits})
	}

	if err := l.journal.Count(ctx, calls); err != nil {
		return fmt.Errorf("counting free calls: %w", err)
	}
	return nil
}
