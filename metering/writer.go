package metering

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

const (
	// countEvery is the interval at which free calls are written.
	countEvery = time.Minute
	// pruneEvery is the interval between deletions of expired entries. They are deleted in portions with a pause of
	// pruneAgain, so that charges need not wait for all of them. pruneRetry is the pause after a failure: a retry a day
	// later could meet the same daily backup again.
	pruneEvery = 24 * time.Hour
	pruneAgain = time.Second
	pruneRetry = time.Hour
)

// write is the writer: the only goroutine that changes the journal.
func (l *Ledger) write() {
	defer close(l.ended)
	count, prune := time.NewTicker(countEvery), time.NewTimer(countEvery)
	defer count.Stop()
	defer prune.Stop()
	for {
		select {
		case h := <-l.queue:
			l.settle(l.gather(h))
		case now := <-count.C:
			if err := l.free.Flush(context.Background(), writeTimeout); err != nil {
				l.logger.Error("counting free calls failed; they are kept until the next attempt", "error", err)
			}
			l.forget(now)
		case now := <-prune.C:
			prune.Reset(l.prune(now))
		case <-l.quit:
			l.drain()
			l.err = l.free.Flush(context.Background(), writeTimeout)
			return
		}
	}
}

// gather takes the queued charges of one transaction, without waiting for more.
func (l *Ledger) gather(first *Hold) []*Hold {
	// Callers that are ready to run queue their charges first. One turn reaches about half of them.
	runtime.Gosched()
	runtime.Gosched()
	batch := make([]*Hold, 0, len(l.queue)+1)
	for h := first; ; {
		if h.stage.CompareAndSwap(waiting, taken) {
			batch = append(batch, h)
		}
		if len(batch) == maxBatch {
			return batch
		}

		select {
		case h = <-l.queue:
		default:
			return batch
		}
	}
}

func (l *Ledger) settle(batch []*Hold) {
	if len(batch) == 0 {
		return
	}

	charges := make([]Charge, len(batch))
	for i, h := range batch {
		charges[i] = h.charge
	}

	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	now := time.Now()
	settlements, err := l.journal.Settle(ctx, now, charges)
	l.countCommit(now, err)
	l.note(now, batch, settlements)
	for i, h := range batch {
		if err != nil {
			h.err = fmt.Errorf("%w: %w", ErrUncertain, err)
		} else {
			h.settlement = settlements[i]
		}

		close(h.answered)
	}
}

// note ends the holds of a batch and applies the balances that the journal returned. It does both under one lock:
// otherwise, a charge would for a moment be both held and part of the balance.
func (l *Ledger) note(now time.Time, batch []*Hold, settlements []Settlement) {
	current := monthOf(now)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range batch {
		h.releaseLocked()
	}

	for i, made := range settlements {
		if s := l.accounts[batch[i].charge.Account]; s != nil && s.month == current {
			s.learn(made.Balance)
		}
		if made.Charged {
			l.credits.Add(uint64(batch[i].charge.Credits))
		}
	}
}

func (l *Ledger) drain() {
	for {
		select {
		case h := <-l.queue:
			l.settle(l.gather(h))
		default:
			return
		}
	}
}

// prune deletes a portion of expired entries, and returns when to continue.
func (l *Ledger) prune(now time.Time) time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	more, err := l.journal.Prune(ctx, now)
	switch {
	case err != nil:
		l.logger.Error("deleting expired entries of the ledger failed; retrying in an hour", "error", err)
		return pruneRetry
	case more:
		return pruneAgain
	}

	return pruneEvery
}
