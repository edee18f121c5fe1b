package anaf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// dispatch starts calls until the context ends: the next one as soon as there
// is something to ask about, the pace allows it, and not too many run.
func (l *Lookup) dispatch(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		wait := l.due()
		if wait <= 0 {
			wait = l.turn(ctx)
		}
		var b batch
		var e *errand
		if wait <= 0 {
			b, e = l.take()
		}
		switch {
		case e != nil:
			l.running.Go(func() { l.runErrand(ctx, e) })
			continue
		case b.len() > 0:
			l.running.Go(func() { l.call(ctx, b) })
			continue
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-l.wake:
		case <-ctx.Done():
			return
		}
	}
}

// batch is what one call asks about: suspects, if it is a probe, and numbers of
// whom nothing bad is known.
type batch struct {
	asked, riders []*ticket
	// The following is of probes only.
	rest    []*ticket // the suspects that are not asked about
	sure    bool      // one of asked and rest is bad for certain
	excused bool      // if it fails, the register is well all the same
}

func (b *batch) len() int           { return len(b.asked) + len(b.riders) }
func (b *batch) tickets() []*ticket { return slices.Concat(b.asked, b.riders) }

// due is how long to wait before a call, 0 when one may start.
func (l *Lookup) due() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune()
	return l.wait()
}

// wait is how long to wait before a call, at most, as far as is known: what
// changes that wakes the dispatcher. It needs the lock.
func (l *Lookup) wait() time.Duration {
	switch {
	case l.calls >= maxCalls:
		return time.Hour
	case l.waiting() > 0, len(l.errands) > 0 && !l.onErrand:
		return time.Until(l.next)
	}
	return l.waitAhead()
}

// take is the next batch or errand, neither when nobody waits any more.
func (l *Lookup) take() (batch, *errand) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune()
	if l.wait() > 0 {
		return batch{}, nil
	}
	l.calls++
	l.next = time.Now().Add(l.pace)
	if e := l.nextErrand(); e != nil {
		return batch{}, e
	}
	b := l.choose()
	for _, t := range b.tickets() {
		t.onWire = true
	}
	return b, nil
}

// choose fills a batch. A probe goes first, since its numbers have waited; but
// an ordinary batch goes before it while nothing says that the register is well.
func (l *Lookup) choose() batch {
	if len(l.suspects) > 0 && (l.well || len(l.spared) == 0) {
		return l.probe()
	}
	n := min(len(l.spared), MaxBatch)
	riders := l.queue.pop(slices.Clone(l.spared[:n]), MaxBatch)
	l.spared = slices.Delete(l.spared, 0, n)
	if len(riders) == 0 && l.queue[alone].length > 0 {
		return batch{asked: []*ticket{l.queue[alone].pop()}, excused: l.well}
	}
	return batch{riders: l.queue[ahead].fill(riders, MaxBatch)}
}

// prune drops, of what failed calls left, the numbers that nobody waits for.
func (l *Lookup) prune() {
	gone := func(t *ticket) bool {
		if t.waiters == 0 {
			l.settle(t, Result{Err: errUnwanted})
		}
		return t.waiters == 0
	}
	l.spared = slices.DeleteFunc(l.spared, gone)
	for i := range l.suspects {
		l.suspects[i].tickets = slices.DeleteFunc(l.suspects[i].tickets, gone)
	}
	l.suspects = slices.DeleteFunc(l.suspects, func(s suspects) bool { return len(s.tickets) == 0 })
}

// call makes one call and settles its tickets, or leaves what may succeed
// another time.
func (l *Lookup) call(ctx context.Context, b batch) {
	ctx, cancel := context.WithTimeout(ctx, l.options.Deadline)
	defer cancel()
	if b.excused {
		ctx = withExcuse(ctx)
	}
	tickets := b.tickets()
	results, err := l.ask(ctx, tickets)
	l.rest(ctx, err)
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.changed()
	l.calls--
	for _, t := range tickets {
		t.onWire = false
	}
	if !errors.Is(err, upstream.ErrNotAsked) {
		l.stats.Calls++
		l.stats.Companies += uint64(b.len())
	}
	if err != nil {
		l.fail(b, err)
		return
	}
	l.well = true
	l.acquit(b)
	for _, t := range b.tickets() {
		r, ok := results[t.cui]
		if !ok {
			r.Err = broken(fmt.Errorf("company %s is missing from the results", t.cui))
		}
		delete(l.quarantine, t.cui)
		l.settle(t, r)
	}
}

// fail settles the tickets of a call that failed, unless they get another try.
func (l *Lookup) fail(b batch, err error) {
	l.slow(err)
	if l.dropAhead(&b, err) || l.accuse(b, err) {
		return
	}
	for _, t := range b.tickets() {
		l.settle(t, Result{Err: err})
	}
}

// ask turns a panic into an error: it would end the process.
func (l *Lookup) ask(ctx context.Context, tickets []*ticket) (results map[api.CUI]Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("asking about %d companies: panic: %v", len(tickets), p)
		}
	}()
	cuis := make([]api.CUI, len(tickets))
	for i, t := range tickets {
		cuis[i] = t.cui
	}
	return l.fetch(ctx, cuis)
}

// slow moves the start of the next call: nearer when no call was made after
// all, farther when the register asked to wait.
func (l *Lookup) slow(err error) {
	var f *api.Failure
	switch {
	case errors.Is(err, upstream.ErrNotAsked):
		l.next = time.Now()
	case errors.As(err, &f) && f.Kind == api.Closed:
		if until := time.Now().Add(f.RetryAfter); until.After(l.next) {
			l.next = until
		}
	}
}
