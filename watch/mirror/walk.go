package mirror

import (
	"context"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/watch"
)

// work is a batch of companies to look at.
type work struct {
	companies []api.CUI
	keep      bool // cache the answers, even of companies that are not in the cache
}

// walk is the mirror's work queue: the companies to look at next, a few thousand at a time.
type walk struct {
	failed []work // to be repeated, in this order

	watched []api.CUI // due and paid
	due     place
	debts   time.Time // the time at which accounts that could not pay are charged again

	others  []api.CUI
	oldest  place
	unknown struct { // never looked at
		after api.CUI
		next  time.Time // the start of the next sweep
	}
}

// place is a sweep's position among companies in the order of their looks.
type place struct {
	after watch.Look
	next  time.Time // the start of the next sweep; zero during one
}

// pass moves the position past the companies found. If these are the last ones, the sweep ends and the next one begins
// after a pause.
func (p *place) pass(found []watch.Look, now time.Time, pause time.Duration) {
	if len(found) < chunk {
		*p = place{next: now.Add(pause)}
		return
	}

	p.after, p.next = found[len(found)-1], time.Time{}
}

// repeat queues a batch behind all others. If the queue is full, it drops the batch; a later sweep finds the companies
// again.
func (w *walk) repeat(some work) {
	if len(w.failed) < chunk/batch {
		w.failed = append(w.failed, some)
	}
}

// next takes a batch, which is empty if nothing is due. Watched companies come first, then companies that were never
// looked at, then the oldest looks. Failed batches are repeated only when nothing else is due.
func (m *Mirror) next(ctx context.Context) (work, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := &m.walk
	if err := m.findWatched(ctx); err != nil {
		return work{}, err
	}
	if len(w.watched) > 0 {
		return work{take(&w.watched), true}, nil
	}

	if len(w.others) == 0 && len(w.failed) > 0 {
		some := w.failed[0]
		w.failed = w.failed[1:]
		return some, nil
	}

	if err := m.findOthers(ctx); err != nil {
		return work{}, err
	}

	return work{take(&w.others), m.Scope == Seen}, nil
}

func take(from *[]api.CUI) (taken []api.CUI) {
	n := min(batch, len(*from))
	taken, *from = (*from)[:n], (*from)[n:]
	return taken
}

// findWatched finds watched companies that are due, unless the next sweep has to wait.
func (m *Mirror) findWatched(ctx context.Context) error {
	w := &m.walk
	for began := time.Now(); len(w.watched) == 0 && !began.Before(w.due.next); {
		if !began.Before(w.debts) {
			w.debts = began.Add(debtsEvery)
			if err := m.collectDebts(ctx, began); err != nil {
				return err
			}
		}

		found, err := m.Store.DueWatched(ctx, w.due.after, began, m.Sooner, chunk)
		if err != nil {
			return err
		}

		w.due.pass(found, began, max(m.Sweep, sweepShare*time.Since(began)))
		if w.watched, err = m.paid(ctx, m.late.without(companiesOf(found), began), began); err != nil {
			w.due = place{} // start again from the beginning
			return err
		}
	}

	return nil
}

// findOthers refills the queue with unwatched companies once it is empty.
func (m *Mirror) findOthers(ctx context.Context) (err error) {
	w := &m.walk
	if m.Scope.country() {
		if err := m.findNew(ctx); err != nil || len(w.others) > 0 {
			return err
		}
	}

	var seen api.Date
	switch m.Scope {
	case Watched:
		return nil
	case Seen:
		seen = seenSince(time.Now())
	}

	for now := time.Now(); len(w.others) == 0 && !now.Before(w.oldest.next); {
		found, err := m.Store.Oldest(ctx, w.oldest.after, now.Add(-again), seen, chunk)
		if err != nil {
			return err
		}

		if w.oldest.pass(found, now, sweepEvery); seen != 0 && !w.oldest.next.IsZero() {
			if err := m.Store.ForgetSeen(ctx, seen); err != nil {
				return err
			}
		}

		w.others = m.late.without(companiesOf(found), now)
		if m.Scope.country() {
			if w.others, err = m.Register.Listed(w.others, m.Scope == InOperation); err != nil {
				return err
			}
		}
	}

	return nil
}

// findNew finds companies of the trade register that were never looked at. It finds none before the register is loaded.
func (m *Mirror) findNew(ctx context.Context) error {
	w := &m.walk
	for now := time.Now(); len(w.others) == 0 && !now.Before(w.unknown.next) && ctx.Err() == nil; {
		ids, err := m.Register.TaxIDs(w.unknown.after, m.Scope == InOperation, chunk)
		if err != nil || len(ids) == 0 { // the end of the register, or not loaded
			w.unknown.after, w.unknown.next = 0, now.Add(time.Hour)
			if err != nil {
				w.unknown.next = now.Add(sweepEvery)
			}
			return nil
		}

		last := ids[len(ids)-1]
		looked, err := m.Store.LookedAt(ctx, w.unknown.after, last)
		if err != nil {
			return err
		}

		w.unknown.after = last
		w.others = slices.DeleteFunc(m.late.without(ids, now), func(c api.CUI) bool {
			_, known := slices.BinarySearch(looked, c)
			return known
		})
	}

	return nil
}

func companiesOf(looks []watch.Look) []api.CUI {
	all := make([]api.CUI, len(looks))
	for i := range looks {
		all[i] = looks[i].Company
	}
	return all
}

// seenSince returns the first day of the scope Seen. A company is in the scope if a caller requested it on or after
// this day.
func seenSince(now time.Time) api.Date { return api.DateIn(now, api.Bucharest) - seenFor }
