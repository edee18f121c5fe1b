package ration

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
)

// enqueue admits a request to the queue.
func (l *Lookup) enqueue(ctx context.Context, company ro.CompanyDay, u cache.Urgency) (*request, error) {
	now := time.Now()
	r := &request{
		company: company, caller: turnOf(ctx), priority: interactive,
		since: now, until: now.Add(l.options.Deadline), done: make(chan struct{}),
	}

	switch u {
	case cache.Ahead:
		r.priority, r.caller = ahead, metering.BucketID{} // in order of arrival
	case cache.Background:
		r.priority = refresh
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.admit(r); err != nil {
		return nil, err
	}

	l.queue.push(r)
	l.wakeDispatcher()
	return r, nil
}

// admit ensures that there is room for a request. The caller holds the lock.
func (l *Lookup) admit(r *request) error {
	quarantined := l.bisector.isQuarantined(r.company, r.since)
	switch {
	case l.closed:
		return closedFailure(0, errClosing)
	case r.priority != ahead:
		if quarantined {
			r.priority = alone
		}
		return l.makeRoom(r)
	case quarantined || l.isShut() || !l.spare(r.since):
		return closedFailure(0, errNoCapacity)
	}

	return nil
}

// makeRoom ensures that there is room for one more request, displacing another if necessary.
func (l *Lookup) makeRoom(r *request) error {
	waiting, pause := l.waitingCount(), l.pacer.next.Sub(r.since)
	calls := time.Duration(waiting+anaf.MaxBatch-1) / anaf.MaxBatch
	wait := max(pause, calls*l.pacer.pace)
	if waiting < l.options.Queue && wait <= l.options.Deadline {
		return nil
	}

	l.stats.Refused++
	refusal := closedFailure(wait, fmt.Errorf("%d companies are waiting in the queue: %w", waiting, ErrBusy))
	other := l.queue.victim(r)
	if other == nil || pause > l.options.Deadline { // no free place is useful before the registry may be asked
		return refusal
	}

	l.queue.remove(other)
	other.resolve(anaf.Result{Err: refusal})
	return nil
}

// ErrBusy is the error, for errors.Is, of a request for which the queue had no room.
var ErrBusy = errors.New("the queue is full")

type listKey struct{}

// InList returns a context for the companies of a list. The lists of a caller take turns with its other requests, as if
// they came from a separate caller.
func InList(ctx context.Context) context.Context { return context.WithValue(ctx, listKey{}, true) }

// turnOf returns the caller whose turn a request takes.
func turnOf(ctx context.Context) metering.BucketID {
	caller := op.CallerOf(ctx)
	id := caller.Bucket()
	if ctx.Value(listKey{}) != nil {
		id.Account = "list " + id.Account
	}

	return id
}

// Estimate returns the approximate time until the tax authority has been queried about a number of companies.
func Estimate(companies int) time.Duration {
	calls := (companies + anaf.MaxBatch - 1) / anaf.MaxBatch
	return time.Duration(calls)*defaultPace + time.Second
}

// waitingCount returns the number of companies not yet in a running call, except refreshes ahead.
func (l *Lookup) waitingCount() int { return l.queue.len() + l.bisector.len() }

// A popular company is refreshed before its entry becomes stale. It takes a free slot in a call that is made for
// others, so it costs nothing. If no slot becomes free for a while, the popular companies get a separate call, unless
// other requests wait or a call runs. A caller who arrives just after such a call has to wait for the pace, so these
// calls are few and full.

// errNoCapacity is the reason why a company is not refreshed ahead.
var errNoCapacity = fmt.Errorf("no call has a free slot: %w", cache.ErrPutOff)

// spare reports whether the next call has a free slot, and is expected soon.
func (l *Lookup) spare(now time.Time) bool {
	return l.waitingCount()+l.queue[ahead].length < anaf.MaxBatch && l.pacer.next.Sub(now) <= l.aheadPatience()
}

// aheadPatience returns the maximum time that a company waits for a free slot in a call. It leaves enough time for a
// separate call.
func (l *Lookup) aheadPatience() time.Duration { return l.options.Deadline / 2 }

// waitAhead returns the wait before a call that contains only refreshes ahead.
func (l *Lookup) waitAhead(now time.Time) time.Duration {
	oldest := l.queue[ahead].oldest()
	if oldest == nil || l.pacer.running > 0 {
		return never
	}
	return max(l.pacer.wait(now), oldest.since.Add(l.aheadPatience()).Sub(now))
}
