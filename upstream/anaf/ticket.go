package anaf

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/metering"
)

// ticket is one number and those who wait for it. Its result is set before done
// is closed.
type ticket struct {
	cui      api.CUI
	caller   metering.BucketID // in whose turn it is asked about
	priority priority
	queued   bool
	since    time.Time
	waiters  int
	onWire   bool // a call asks about it: see Lookup.onWire
	done     chan struct{}
	result   Result
}

// join takes a place in the queue, or one beside those who already wait for the
// same number.
func (l *Lookup) join(ctx context.Context, cui api.CUI, u cache.Urgency) (*ticket, error) {
	caller := api.CallerOf(ctx)
	t := &ticket{cui: cui, caller: caller.Bucket(), since: time.Now(), waiters: 1, done: make(chan struct{})}
	switch u {
	case cache.Ahead:
		t.priority, t.caller = ahead, metering.BucketID{} // in the order in which they come
	case cache.Background:
		t.priority = refresh
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if other := l.tickets[cui]; other != nil {
		other.waiters++
		l.lift(other, t.priority, t.caller)
		return other, nil
	}
	admit := l.admit
	switch {
	case t.priority == ahead:
		admit = l.admitAhead
	case l.quarantine.has(cui):
		t.priority = alone
	}
	if err := admit(t); err != nil {
		return nil, err
	}
	l.tickets[cui] = t
	l.queue.push(t)
	l.changed()
	return t, nil
}

// lift makes a number that is asked about go before others, if a caller has higher
// priority. It needs the lock.
func (l *Lookup) lift(t *ticket, p priority, caller metering.BucketID) {
	if p < t.priority && t.priority != alone {
		l.queue.lift(t, p, caller)
		l.changed() // one renewed ahead was in no hurry
	}
}

// attend lifts a number for whose fetch, which began in the background, a caller
// waits by now.
func (l *Lookup) attend(ctx context.Context, t *ticket) {
	caller := api.CallerOf(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lift(t, interactive, caller.Bucket())
}

// admit makes sure that there is room for one more ticket, at the cost of
// another if need be. It needs the lock.
func (l *Lookup) admit(t *ticket) error {
	if l.closed {
		return closed(0, errClosing)
	}
	waiting, pause := l.waiting(), time.Until(l.next)
	calls := time.Duration(waiting+MaxBatch-1) / MaxBatch
	wait := max(pause, calls*l.pace)
	if waiting < l.options.Queue && wait <= l.options.Deadline {
		return nil
	}
	l.stats.Refused++
	refusal := closed(wait, fmt.Errorf("%d companies are waiting to be asked about", waiting))
	other := l.queue.yielding(t)
	if other == nil || pause > l.options.Deadline { // no place is of use before the register may be asked
		return refusal
	}
	l.queue.remove(other)
	l.settle(other, Result{Err: refusal})
	return nil
}

// waiting is how many numbers no running call asks about, but for those renewed
// ahead. It needs the lock.
func (l *Lookup) waiting() int {
	n := l.queue.len() + len(l.spared)
	for _, s := range l.suspects {
		n += len(s.tickets)
	}
	return n
}

// leave stops waiting. A number that nobody waits for any more leaves the queue, but
// a call that already asks about it is finished.
func (l *Lookup) leave(t *ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.waiters--; t.waiters > 0 || t.settled() {
		return
	}
	if t.queued {
		l.queue.remove(t)
		l.settle(t, Result{Err: errUnwanted})
	}
	l.changed() // prune drops what is left of failed calls
}

// onWire reports whether a call asks about a number at this moment.
func (l *Lookup) onWire(t *ticket) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return t.onWire
}

// errUnwanted is why a number was not asked about: its last caller has left.
var errUnwanted = closed(0, fmt.Errorf("the last caller has left: %w", cache.ErrPutOff))

func (t *ticket) settled() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// settle gives a ticket its result and removes it; later callers get a new one. It
// needs the lock.
func (l *Lookup) settle(t *ticket, r Result) {
	t.result = r
	close(t.done)
	delete(l.tickets, t.cui)
}
