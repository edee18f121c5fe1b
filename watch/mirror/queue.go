package mirror

import (
	"context"
	"slices"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

// batch is the companies to look at with one request.
type batch struct {
	companies []ro.CUI
	keep      bool // cache the answers, even of companies that are not in the cache
}

// queue holds the companies to look at next, a few thousand at a time.
type queue struct {
	failed []batch // to be repeated, in this order

	watched []ro.CUI // due and paid
	due     sweep
	debts   time.Time // the time at which accounts that could not pay are charged again

	others  []ro.CUI
	oldest  sweep
	unknown struct { // never looked at
		after ro.CUI
		next  time.Time // the start of the next sweep
	}
}

// sweep is a position in a search through companies in the order of their looks.
type sweep struct {
	after watch.Look
	next  time.Time // the start of the next sweep; zero during a sweep
}

// advance moves the position past the companies found. If these are the last ones, the sweep ends and the next one
// begins after a pause.
func (s *sweep) advance(found []watch.Look, now time.Time, pause time.Duration) {
	if len(found) < pageSize {
		*s = sweep{next: now.Add(pause)}
		return
	}

	s.after, s.next = found[len(found)-1], time.Time{}
}

// repeat queues a batch behind all others. If the queue is full, it drops the batch; a later sweep finds the companies
// again.
func (q *queue) repeat(b batch) {
	if len(q.failed) < pageSize/batchSize {
		q.failed = append(q.failed, b)
	}
}

// next removes and returns a batch, which is empty if nothing is due. Watched companies come first, then companies that
// were never looked at, then the oldest looks. A failed batch is repeated before the next search among unwatched
// companies.
func (m *Mirror) next(ctx context.Context) (batch, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := &m.queue
	if err := m.findWatched(ctx); err != nil {
		return batch{}, err
	}
	if len(q.watched) > 0 {
		return batch{take(&q.watched), true}, nil
	}

	if len(q.others) == 0 && len(q.failed) > 0 {
		b := q.failed[0]
		q.failed = q.failed[1:]
		return b, nil
	}

	if err := m.findOthers(ctx); err != nil {
		return batch{}, err
	}

	return batch{take(&q.others), m.Scope == Seen}, nil
}

func take(from *[]ro.CUI) (taken []ro.CUI) {
	n := min(batchSize, len(*from))
	taken, *from = (*from)[:n], (*from)[n:]
	return taken
}

// findWatched finds watched companies that are due, unless the next sweep has to wait.
func (m *Mirror) findWatched(ctx context.Context) error {
	q := &m.queue
	for began := time.Now(); len(q.watched) == 0 && !began.Before(q.due.next); {
		if !began.Before(q.debts) {
			q.debts = began.Add(debtsEvery)
			if err := m.collectDebts(ctx, began); err != nil {
				return err
			}
		}

		found, err := m.Store.DueWatched(ctx, q.due.after, began, m.Sooner, pageSize)
		if err != nil {
			return err
		}

		q.due.advance(found, began, max(m.Sweep, sweepShare*time.Since(began)))
		if q.watched, err = m.chargeFor(ctx, m.backoff.exclude(companiesOf(found), began), began); err != nil {
			q.due = sweep{} // start again from the beginning
			return err
		}
	}

	return nil
}

// findOthers refills the queue with unwatched companies once it is empty.
func (m *Mirror) findOthers(ctx context.Context) (err error) {
	q := &m.queue
	if m.Scope.usesRegister() {
		if err := m.findNew(ctx); err != nil || len(q.others) > 0 {
			return err
		}
	}

	var seen ro.Date
	switch m.Scope {
	case Watched:
		return nil
	case Seen:
		seen = seenSince(time.Now())
	}

	for now := time.Now(); len(q.others) == 0 && !now.Before(q.oldest.next); {
		found, err := m.Store.Oldest(ctx, q.oldest.after, now.Add(-maxAge), seen, pageSize)
		if err != nil {
			return err
		}

		if q.oldest.advance(found, now, sweepEvery); seen != 0 && !q.oldest.next.IsZero() {
			if err := m.Store.ForgetSeen(ctx, seen); err != nil {
				return err
			}
		}

		q.others = m.backoff.exclude(companiesOf(found), now)
		if m.Scope.usesRegister() {
			if q.others, err = m.Register.Listed(q.others, m.Scope == InOperation); err != nil {
				return err
			}
		}
	}

	return nil
}

// findNew finds companies of the trade register that were never looked at. It finds none before the register is loaded.
func (m *Mirror) findNew(ctx context.Context) error {
	q := &m.queue
	for now := time.Now(); len(q.others) == 0 && !now.Before(q.unknown.next) && ctx.Err() == nil; {
		ids, err := m.Register.TaxIDs(q.unknown.after, m.Scope == InOperation, pageSize)
		if err != nil || len(ids) == 0 { // the end of the register, or not loaded
			q.unknown.after, q.unknown.next = 0, now.Add(time.Hour)
			if err != nil {
				q.unknown.next = now.Add(sweepEvery)
			}
			return nil
		}

		last := ids[len(ids)-1]
		looked, err := m.Store.LookedAt(ctx, q.unknown.after, last)
		if err != nil {
			return err
		}

		q.unknown.after = last
		q.others = slices.DeleteFunc(m.backoff.exclude(ids, now), func(c ro.CUI) bool {
			_, known := slices.BinarySearch(looked, c)
			return known
		})
	}

	return nil
}

func companiesOf(looks []watch.Look) []ro.CUI {
	all := make([]ro.CUI, len(looks))
	for i := range looks {
		all[i] = looks[i].Company
	}
	return all
}

// seenSince returns the first day of the scope Seen. A company is in the scope if a caller requested it on or after
// this day.
func seenSince(now time.Time) ro.Date { return ro.DateIn(now, ro.Bucharest) - seenFor }

const (
	// minDelay and maxDelay bound the time until the next look at a company that keeps failing.
	minDelay, maxDelay = time.Minute, time.Hour
	// maxFailing is the maximum number of failing companies that are remembered.
	maxFailing = 100_000
)

// backoff holds the companies whose last looks failed, so that a company that always fails does not cost a call in each
// sweep. The delay until the next look doubles with each failure.
type backoff map[ro.CUI]delay

type delay struct {
	length time.Duration
	until  time.Time
}

// recordFailure records that a look failed, and reports whether the previous one had succeeded.
func (b *backoff) recordFailure(company ro.CUI, now time.Time) (first bool) {
	if *b == nil {
		*b = backoff{}
	}

	d, known := (*b)[company]
	if !known && len(*b) == maxFailing {
		for other := range *b { // a dropped company is looked at sooner
			delete(*b, other)
			break
		}
	}

	d.length = min(max(2*d.length, minDelay), maxDelay)
	d.until = now.Add(d.length)
	(*b)[company] = d
	return !known
}

// recordSuccess records that a look succeeded.
func (b backoff) recordSuccess(company ro.CUI) { delete(b, company) }

// exclude returns the companies that do not have to wait. It reuses the slice.
func (b backoff) exclude(companies []ro.CUI, now time.Time) []ro.CUI {
	return slices.DeleteFunc(companies, func(c ro.CUI) bool { return now.Before(b[c].until) })
}
