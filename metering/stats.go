package metering

import (
	"sync/atomic"
	"time"
)

// Stats are the statistics of a ledger since its start.
type Stats struct {
	// Credits counts charged credits. Refused counts calls refused for lack of credits.
	Credits, Refused uint64
	// Commits counts transactions. CommitTime is their total duration.
	Commits    uint64
	CommitTime time.Duration
	// Failures counts failed transactions.
	Failures uint64
	// Queued is the number of waiting charges.
	Queued int
}

type counters struct {
	credits, refused, commits, commitTime, failures atomic.Uint64
}

func (c *counters) countCommit(start time.Time, err error) {
	c.commits.Add(1)
	c.commitTime.Add(uint64(time.Since(start)))
	if err != nil {
		c.failures.Add(1)
	}
}

// Stats returns the statistics.
func (l *Ledger) Stats() Stats {
	return Stats{
		Credits: l.credits.Load(), Refused: l.refused.Load(),
		Commits: l.commits.Load(), CommitTime: time.Duration(l.commitTime.Load()),
		Failures: l.failures.Load(), Queued: len(l.queue),
	}
}
