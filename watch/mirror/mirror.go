// Package mirror decides which companies the gateway looks at of its own accord, and when: those in watch-lists, and as
// many others as the operator wants, the oldest look first, with a share of the tax authority's ration.
//
// The time of the last look at each company is in the store, and nothing else is: so a mirror goes on where it was,
// in whatever process.
package mirror

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/watch"
)

const (
	// batch is how many companies the tax authority is asked about at once.
	batch = 100
	// atOnce is how many batches are looked at at the same time: so many calls may run at once.
	atOnce = 2
	// chunk is how many companies are taken from the store or the register at once.
	chunk = 5_000
	// sweepEvery is how often companies that are due are searched for at most.
	sweepEvery = time.Minute
	// sweepShare is which part of the time searching for them takes at most.
	sweepShare = 100
	// debtsEvery is how often accounts that could not pay are tried again.
	debtsEvery = 5 * time.Minute
	// again is how old a look must be before it is repeated for a mirror: the tax authority's register is about days.
	again = 24 * time.Hour
	// idle is how long to wait when there is nothing to look at, or the registry is left alone.
	idle = time.Second
)

// Store has the watch-lists and the looks: a *store.DB.
type Store interface {
	DueWatched(ctx context.Context, after watch.Look, now time.Time, sooner time.Duration, limit int) ([]watch.Look, error)
	Oldest(ctx context.Context, after watch.Look, before time.Time, seen api.Date, limit int) ([]watch.Look, error)
	LookedAt(ctx context.Context, after, through api.CUI) ([]api.CUI, error)
	Observed(ctx context.Context, now time.Time, seen api.Date) (watch.Observed, error)
	ForgetSeen(ctx context.Context, since api.Date) error

	Unpaid(ctx context.Context, companies []api.CUI, month watch.Month) (map[string][]api.CUI, error)
	Paid(ctx context.Context, companies []api.CUI, month watch.Month) (map[api.CUI]bool, error)
	MarkPaid(ctx context.Context, account string, companies []api.CUI, month watch.Month, agree func(due int) error) ([]api.CUI, error)
	Unpay(ctx context.Context, account string, companies []api.CUI, month watch.Month) error
	SetUnpaid(ctx context.Context, account string, month watch.Month, at time.Time) (told int, err error)
	ClearUnpaid(ctx context.Context, account string, month watch.Month) error
	Debtors(ctx context.Context) ([]string, error)
	Debts(ctx context.Context, account string, month watch.Month, limit int) ([]api.CUI, error)
}

// Register is the trade register.
type Register interface {
	// TaxIDs returns the tax ids after one, in their order: those in operation or all. It may fail before the register
	// is loaded.
	TaxIDs(after api.CUI, operating bool, limit int) ([]api.CUI, error)
	// Listed keeps those of some companies that the register has: those in operation or all.
	Listed(companies []api.CUI, operating bool) ([]api.CUI, error)
	// Count is how many tax ids there are, in operation or all; 0 before the register is loaded.
	Count(operating bool) int
}

// Options are the settings of a mirror and what it works with. All are required, but those with a default.
type Options struct {
	// Scope is which companies are looked at. Default Watched.
	Scope Scope
	// Share is the part of the ration that may be used: more than 0, at most 1. Default 0.1.
	Share float64
	// Pace is the time between two calls that the ration allows. Default 1.05 s.
	Pace time.Duration

	// Sooner is how much sooner watched companies are looked at than their watch-lists say, and Sweep how often those
	// that are due are searched for at most. They are for the sandbox. Default 0 and a minute.
	Sooner, Sweep time.Duration

	Store    Store
	Register Register
	Payer    Payer
	// Look looks at a company in the background, and calls done once. With keep, the answer is kept in the cache even if
	// the company is not in it.
	Look func(ctx context.Context, company api.CUI, keep bool, done func(error))
	// Unusable reports whether a look failed because of what the tax authority says of the company: an outcome of the
	// company, and no failure of the tax authority.
	Unusable func(company api.CUI, err error) bool
	// Ready reports whether the tax authority may be asked: the breaker is not open, and it has not asked to be left
	// alone.
	Ready func() bool
	// Tell is called when events were written.
	Tell func()
	Log  *slog.Logger
}

// Mirror looks at companies.
type Mirror struct {
	Options
	figures

	mu    sync.Mutex
	walk  walk
	slot  time.Time // when the next call may start
	pause time.Duration
	late  late
	// troubled is whether most looks of the last batch failed.
	troubled bool
}

// New returns a mirror, which Run sets to work.
func New(o Options) *Mirror {
	o.Scope = cmp.Or(o.Scope, Watched)
	o.Share = cmp.Or(o.Share, 0.1)
	o.Sweep = cmp.Or(o.Sweep, sweepEvery)
	o.Pace = cmp.Or(o.Pace, time.Second+time.Second/20)
	return &Mirror{Options: o}
}

// Run looks at companies until the context ends. What then waits in the lookup's queue, two batches at most, is still
// asked about.
func (m *Mirror) Run(ctx context.Context) {
	m.leading.Store(true)
	defer m.leading.Store(false)
	m.mu.Lock()
	m.walk = walk{} // another process may have gone on since
	m.mu.Unlock()

	var working sync.WaitGroup
	for range atOnce {
		working.Go(func() { m.work(ctx) })
	}
	working.Wait()
}

// work looks at one batch after the other.
func (m *Mirror) work(ctx context.Context) {
	for m.await(ctx) {
		some, err := m.next(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			m.report(err)
			wait(ctx, sweepEvery/2)
		case len(some.companies) == 0:
			m.mu.Lock()
			m.slot = time.Time{} // nothing was asked
			m.mu.Unlock()
			wait(ctx, idle)
		default:
			m.report(nil)
			m.lookAt(ctx, some)
		}
	}
}

// await waits for a turn: until the tax authority may be asked, and the share allows another call. It reports false when
// the context ends.
func (m *Mirror) await(ctx context.Context) bool {
	for ctx.Err() == nil {
		if !m.Ready() {
			wait(ctx, idle)
			continue
		}

		m.mu.Lock()
		now := time.Now()
		left := m.slot.Sub(now)
		if left <= 0 {
			m.slot = now.Add(time.Duration(float64(m.Pace) / m.Share))
		}
		m.mu.Unlock()
		if left <= 0 {
			return true
		}
		wait(ctx, min(left, idle))
	}
	return false
}

// outcome is how a look at a company ended.
type outcome struct {
	company api.CUI
	err     error
}

// failed reports whether the look failed. That the tax authority does not know a company is no failure.
func (o *outcome) failed() bool { return o.err != nil && !errors.Is(o.err, api.ErrUnknown) }

// lookAt looks at a batch, and waits for its end. If most of it fails, the registry does: what failed for the first time
// is repeated, and there is a pause.
func (m *Mirror) lookAt(ctx context.Context, some work) {
	ended := make(chan outcome, len(some.companies))
	for _, company := range some.companies {
		m.Look(ctx, company, some.keep, func(err error) { ended <- outcome{company, err} })
	}

	outcomes := make([]outcome, 0, len(some.companies))
	for range some.companies {
		select {
		case o := <-ended:
			outcomes = append(outcomes, o)
		case <-ctx.Done():
			return
		}
	}
	wait(ctx, m.rest(m.judge(some, outcomes)))
}

// judge notes how a batch ended, and reports whether the registry failed.
func (m *Mirror) judge(some work, outcomes []outcome) (down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var last error
	var first []api.CUI // those whose look before did not fail
	failed, blamed := 0, 0
	for i := range outcomes {
		o := &outcomes[i]
		if !o.failed() {
			m.late.forget(o.company)
			continue
		}
		failed, last = failed+1, o.err
		if m.late.add(o.company, time.Now()) {
			first = append(first, o.company)
		}
		if !m.Unusable(o.company, o.err) {
			blamed++
		}
	}

	m.count(len(outcomes) - failed)
	down = blamed > len(outcomes)/2
	if down && len(first) > 0 {
		m.walk.repeat(work{first, some.keep})
	}
	if len(first) > 0 && !m.troubled {
		m.Log.Error("looks at companies fail; they are repeated later and later", "companies", failed, "of", len(outcomes), "error", last)
	}
	m.troubled = down
	return down
}

// rest returns how long to wait after a failure: longer after each, and never longer than until the next sweep. A success makes it short again.
func (m *Mirror) rest(failed bool) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if failed {
		m.pause = min(max(2*m.pause, 5*idle), m.Sweep)
	} else {
		m.pause = 0
	}
	return m.pause
}

// report logs that the store fails, and that it no longer does.
func (m *Mirror) report(err error) {
	switch failing := err != nil; {
	case failing && !m.failing.Swap(true):
		m.Log.Error("finding companies to look at failed; trying again", "error", err)
	case !failing && m.failing.Swap(false):
		m.Log.Info("companies are looked at again")
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
