// Package fake contains in-memory fakes of interfaces for tests.
package fake

import (
	"context"
	"sync"
	"time"

	"github.com/rodata/rodata/metering"
)

// Journal is a metering.Journal in memory. Its zero value is empty and ready.
type Journal struct {
	mu       sync.Mutex
	down     error
	balances map[[2]string]metering.Balance // by account and period
	entries  []metering.Charge
	calls    []metering.Calls
	reads    int
	batches  []int
	prunings int
}

// Fail makes every later method return err, until it is called with nil.
func (j *Journal) Fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.down = err
}

// Give gives an account credits in a period.
func (j *Journal) Give(account, period string, credits int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.balances[[2]string{account, period}]
	b.Given += credits
	j.put(account, period, b)
}

func (j *Journal) put(account, period string, b metering.Balance) {
	if j.balances == nil {
		j.balances = make(map[[2]string]metering.Balance)
	}
	j.balances[[2]string{account, period}] = b
}

// Settle implements metering.Journal.
func (j *Journal) Settle(_ context.Context, at time.Time, charges []metering.Charge) ([]metering.Settlement, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.batches = append(j.batches, len(charges))
	if j.down != nil {
		return nil, j.down
	}

	settlements := make([]metering.Settlement, len(charges))
	for i, c := range charges {
		b := j.balances[[2]string{c.Account, metering.Period(at)}]
		if b.Take(c.Credits, c.Monthly) {
			settlements[i].Charged = true
			j.put(c.Account, metering.Period(at), b)
			j.entries = append(j.entries, c)
		}

		settlements[i].Balance = b
	}

	return settlements, nil
}

// Balance implements metering.Journal.
func (j *Journal) Balance(_ context.Context, account, period string) (metering.Balance, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.reads++
	return j.balances[[2]string{account, period}], j.down
}

// Count implements metering.Journal.
func (j *Journal) Count(_ context.Context, calls []metering.Calls) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.down == nil {
		j.calls = append(j.calls, calls...)
	}

	return j.down
}

// Usage returns the counted free calls, of all accounts and days.
func (j *Journal) Usage(context.Context, string, string, string) ([]metering.Calls, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.calls, j.down
}

// Prune implements metering.Journal. It reports more entries the first two times.
func (j *Journal) Prune(context.Context, time.Time) (more bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.prunings++
	return j.prunings < 3, j.down
}

// Entries returns the charges made, in order.
func (j *Journal) Entries() []metering.Charge {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.entries
}

// Traffic returns the number of balance reads, the sizes of the settled batches, and the number of prunings.
func (j *Journal) Traffic() (reads int, batches []int, prunings int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.reads, j.batches, j.prunings
}
