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
		b, wait := l.take()
		if b.tickets != nil {
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

// take is the next batch, or how long to wait before looking again: what is
// left of a failed call first, then new numbers.
func (l *Lookup) take() (batch, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.again) > 0 {
		if l.again[0].tickets = l.prune(l.again[0].tickets); len(l.again[0].tickets) > 0 {
			break
		}
		l.again = l.again[1:]
	}
	if l.calls >= maxCalls || len(l.again)+len(l.fresh) == 0 {
		return batch{}, time.Hour
	}
	if wait := time.Until(l.next); wait > 0 {
		return batch{}, wait
	}
	var b batch
	if len(l.again) > 0 {
		b, l.again = l.again[0], l.again[1:]
	} else {
		n := min(len(l.fresh), MaxBatch)
		b.tickets = slices.Clone(l.fresh[:n])
		l.fresh = slices.Delete(l.fresh, 0, n)
	}
	l.calls++
	l.next = time.Now().Add(l.options.Pace)
	return b, 0
}

// prune forgets, of tickets that are queued, those that nobody waits for. It
// needs the lock.
func (l *Lookup) prune(queued []*ticket) []*ticket {
	return slices.DeleteFunc(queued, func(t *ticket) bool {
		if t.waiters == 0 {
			delete(l.tickets, t.cui)
		}
		return t.waiters == 0
	})
}

// call makes one call and settles its tickets, or leaves what may succeed
// another time.
func (l *Lookup) call(ctx context.Context, b batch) {
	ctx, cancel := context.WithTimeout(ctx, l.options.Deadline)
	defer cancel()
	results, err := l.ask(ctx, b)
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.changed()
	l.calls--
	if err == nil {
		for _, t := range b.tickets {
			r, ok := results[t.cui]
			if !ok {
				r.Err = broken(fmt.Errorf("company %s is missing from the results", t.cui))
			}
			l.settle(t, r)
		}
		return
	}
	l.slow(err)
	if l.retry(b, err) {
		return
	}
	for _, t := range b.tickets {
		l.settle(t, Result{Err: err})
	}
}

// ask turns a panic into an error: it would end the process.
func (l *Lookup) ask(ctx context.Context, b batch) (results map[api.CUI]Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("asking about %d companies: panic: %v", len(b.tickets), p)
		}
	}()
	cuis := make([]api.CUI, len(b.tickets))
	for i, t := range b.tickets {
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

// retry queues a failed batch again: once as it is when the connection failed,
// then in halves, so that one number which the register cannot bear does not
// fail its neighbours. It reports false when the failure is final.
func (l *Lookup) retry(b batch, err error) bool {
	var f *api.Failure
	if !errors.As(err, &f) || f.Kind != api.Broken || errors.Is(err, context.Canceled) {
		return false
	}
	switch n := len(b.tickets); {
	case !b.retried && errors.Is(err, upstream.ErrConnection):
		l.again = append(l.again, batch{b.tickets, true})
	case n > 1:
		l.again = append(l.again, batch{b.tickets[: n/2 : n/2], true}, batch{b.tickets[n/2:], true})
	default:
		return false
	}
	return true
}
