package metering

import (
	"sync/atomic"
	"time"
)

// Stats are a ledger's figures since it was made.
type Stats struct {
	// Credits were charged, and Refused calls found too few left.
	Credits, Refused uint64
	// Commits is the number of transactions, and CommitTime the time they took.
	Commits    uint64
	CommitTime time.Duration
	// Failures is the number of transactions that failed.
	Failures uint64
	// Queued is the number of charges that wait now.
	Queued int
}

// figures are what Stats are read from.
type figures struct {
	credits, refused, commits, commitTime, failures atomic.Uint64
}

// committed takes down a transaction that began at an instant.
func (f *figures) committed(start time.Time, err error) {
	f.commits.Add(1)
	f.commitTime.Add(uint64(time.Since(start)))
	if err != nil {
		f.failures.Add(1)
	}
}

// Stats are the figures at this moment.
func (l *Ledger) Stats() Stats {
	return Stats{
		Credits: l.credits.Load(), Refused: l.refused.Load(),
		Commits: l.commits.Load(), CommitTime: time.Duration(l.commitTime.Load()),
		Failures: l.failures.Load(), Queued: len(l.queue),
	}
}
