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
	asking   *asking // the call that asks about it, while one does
	done     chan struct{}
	result   Result
}

// join takes a place in the queue, or one beside those who already wait for the
// same number.
func (l *Lookup) join(ctx context.Context, cui api.CUI) (*ticket, error) {
	caller := api.CallerOf(ctx)
	t := &ticket{cui: cui, caller: caller.Bucket(), since: time.Now(), waiters: 1, done: make(chan struct{})}
	switch {
	case cache.Ahead(ctx):
		t.priority, t.caller = ahead, metering.BucketID{} // in the order in which they come
	case cache.Background(ctx):
		t.priority = refresh
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if other := l.tickets[cui]; other != nil {
		if other.waiters++; other.waiters == 1 && other.asking != nil {
			other.asking.wanted++
		}
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

// leave gives up the place; a number that nobody waits for is not asked about.
func (l *Lookup) leave(t *ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.waiters--; t.waiters > 0 {
		return
	}
	switch {
	case t.queued:
		l.queue.remove(t)
		l.forget(t)
	case t.asking != nil:
		l.unwant(t.asking)
	}
}

// settle gives a ticket its result. It needs the lock.
func (l *Lookup) settle(t *ticket, r Result) {
	t.result = r
	close(t.done)
	l.forget(t)
}

// forget makes that who comes from now on gets another ticket. It needs the lock.
func (l *Lookup) forget(t *ticket) {
	if l.tickets[t.cui] == t {
		delete(l.tickets, t.cui)
	}
}

// asking is a call that is being made.
type asking struct {
	tickets []*ticket
	wanted  int // how many of them somebody waits for
	cancel  context.CancelFunc
}

// begin notes that a call asks about tickets.
func (l *Lookup) begin(tickets []*ticket, cancel context.CancelFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &asking{tickets: tickets, cancel: cancel}
	for _, t := range tickets {
		t.asking = a
		if t.waiters > 0 {
			a.wanted++
		}
	}
	if a.wanted == 0 {
		l.abandon(a)
	}
}

// unwant takes note that nobody waits for one more of a call's numbers. It needs
// the lock.
func (l *Lookup) unwant(a *asking) {
	if a.wanted--; a.wanted == 0 {
		l.abandon(a)
	}
}

// abandon ends a call whose answer nobody waits for. It needs the lock.
func (l *Lookup) abandon(a *asking) {
	a.cancel()
	for _, t := range a.tickets {
		l.forget(t)
	}
}
