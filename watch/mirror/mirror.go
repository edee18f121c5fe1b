// Package mirror decides which companies the gateway looks at on its own, and when. These are the companies in
// watch-lists and as many others as the operator wants. The mirror takes the oldest look first, and stays within a
// share of the tax authority's ration.
//
// The only stored state is the time of the last look at each company, so any process can continue where another one
// stopped.
package mirror

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

const (
	// batchSize is the number of companies in one request to the tax authority.
	batchSize = 100
	// maxInFlight is the number of batches in flight at the same time.
	maxInFlight = 2
	// pageSize is the number of companies read at once from the store or the register.
	pageSize = 5_000
	// sweepEvery is the minimum time between two searches for due companies.
	sweepEvery = time.Minute
	// sweepShare limits the searches to 1/sweepShare of the time.
	sweepShare = 100
	// debtsEvery is the interval at which accounts that could not pay are charged again.
	debtsEvery = 5 * time.Minute
	// maxAge is the age at which the mirror repeats a look: the tax authority's register changes once a day.
	maxAge = 24 * time.Hour
	// idlePause is the pause if no company is due or the registry must not be queried.
	idlePause = time.Second
)

// Store keeps the watch-lists and the looks. It is a *store.DB.
type Store interface {
	DueWatched(ctx context.Context, after watch.Look, now time.Time, sooner time.Duration,
		limit int) ([]watch.Look, error)
	Oldest(ctx context.Context, after watch.Look, before time.Time, seen ro.Date, limit int) ([]watch.Look, error)
	LookedAt(ctx context.Context, after, through ro.CUI) ([]ro.CUI, error)
	Coverage(ctx context.Context, now time.Time, seen ro.Date) (watch.Coverage, error)
	ForgetSeen(ctx context.Context, since ro.Date) error

	Unpaid(ctx context.Context, companies []ro.CUI, month watch.Month) (map[string][]ro.CUI, error)
	Paid(ctx context.Context, companies []ro.CUI, month watch.Month) (map[ro.CUI]bool, error)
	MarkPaid(ctx context.Context, account string, companies []ro.CUI, month watch.Month,
		agree func(due int) error) ([]ro.CUI, error)
	Unpay(ctx context.Context, account string, companies []ro.CUI, month watch.Month) error
	SetUnpaid(ctx context.Context, account string, month watch.Month, at time.Time) (added int, err error)
	ClearUnpaid(ctx context.Context, account string, month watch.Month) error
	Debtors(ctx context.Context) ([]string, error)
	Debts(ctx context.Context, account string, month watch.Month, limit int) ([]ro.CUI, error)
}

// Register is the trade register.
type Register interface {
	// TaxIDs returns the sorted tax ids after a given one, of companies in operation or of all. It may fail before the
	// register is loaded.
	TaxIDs(after ro.CUI, operating bool, limit int) ([]ro.CUI, error)
	// Listed returns the companies that are in the register: those in operation, or all.
	Listed(companies []ro.CUI, operating bool) ([]ro.CUI, error)
	// Count returns the number of tax ids, in operation or all. It returns 0 before the register is loaded.
	Count(operating bool) int
}

// Options are the settings and dependencies of a mirror. Fields without a default are required.
type Options struct {
	// Scope selects the companies to look at. Default Watched.
	Scope Scope
	// Share is the part of the tax authority's ration that may be used.
	Share *work.Share

	// Sooner is subtracted from the intervals of watch-lists, and Sweep is the minimum time between two searches for
	// due companies. They are for the sandbox. Default 0 and a minute.
	Sooner, Sweep time.Duration

	Store    Store
	Register Register
	Payer    Payer
	// Look looks at companies in the background. It calls each with every outcome, and waits for all of them, or until
	// ctx ends. If keep is set, the answers are cached even of companies that are not in the cache.
	Look func(ctx context.Context, companies []ro.CUI, keep bool, each func(ro.CUI, error)) error
	// Unusable reports whether a look failed because of the tax authority's data about this company, rather than
	// because the tax authority failed.
	Unusable func(company ro.CUI, err error) bool
	// Wake is called after events have been written.
	Wake func()
	Log  *slog.Logger
}

// Mirror looks at companies.
type Mirror struct {
	Options
	counters

	mu      sync.Mutex
	queue   queue
	pause   time.Duration // after a batch that failed; 0 after a success
	backoff backoff
	down    bool // most looks of the last batch failed
}

// New returns a mirror. Run starts it.
func New(o Options) *Mirror {
	o.Scope = cmp.Or(o.Scope, Watched)
	o.Sweep = cmp.Or(o.Sweep, sweepEvery)
	return &Mirror{Options: o}
}

// Run looks at companies until the context ends. It may then still send at most two batches that are already queued.
func (m *Mirror) Run(ctx context.Context) {
	m.leading.Store(true)
	defer m.leading.Store(false)
	m.mu.Lock()
	m.queue = queue{} // another process may have led since
	m.mu.Unlock()

	var working sync.WaitGroup
	for range maxInFlight {
		working.Go(func() { m.work(ctx) })
	}

	working.Wait()
}

// work looks at one batch after another.
func (m *Mirror) work(ctx context.Context) {
	for m.awaitTurn(ctx) {
		b, err := m.next(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			m.report(err)
			work.Sleep(ctx, sweepEvery/2)
		case len(b.companies) == 0:
			m.Share.Return(1)
			work.Sleep(ctx, min(idlePause, m.Sweep))
		default:
			m.report(nil)
			m.lookAt(ctx, b)
		}
	}
}

// awaitTurn waits for the turn of a call. It reports false if the context ends.
func (m *Mirror) awaitTurn(ctx context.Context) bool {
	ready, err := m.Share.Turn(ctx, 1)
	for !ready && err == nil {
		work.Sleep(ctx, idlePause)
		ready, err = m.Share.Turn(ctx, 1)
	}

	return ready
}

// outcome is the result of a look at a company.
type outcome struct {
	company ro.CUI
	err     error
}

// isFailure reports whether the look failed. A company unknown to the tax authority is not a failure.
func (o *outcome) isFailure() bool { return o.err != nil && !errors.Is(o.err, op.ErrUnknown) }

// lookAt looks at a batch and waits until all looks have ended. If most of them fail, the registry is assumed to be
// down. After a pause, looks that failed for the first time are then repeated.
func (m *Mirror) lookAt(ctx context.Context, b batch) {
	outcomes := make([]outcome, 0, len(b.companies))
	err := m.Look(ctx, b.companies, b.keep, func(company ro.CUI, err error) {
		outcomes = append(outcomes, outcome{company, err})
	})
	if err == nil {
		work.Sleep(ctx, m.pauseAfter(m.assess(b, outcomes)))
	}
}

// assess records the outcomes of a batch, and reports whether the registry is down.
func (m *Mirror) assess(b batch, outcomes []outcome) (down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var last error
	var first []ro.CUI         // those whose previous look succeeded
	failed, ofRegistry := 0, 0 // failures, and those that are the registry's
	for i := range outcomes {
		o := &outcomes[i]
		if !o.isFailure() {
			m.backoff.recordSuccess(o.company)
			continue
		}

		failed, last = failed+1, o.err
		if m.backoff.recordFailure(o.company, time.Now()) {
			first = append(first, o.company)
		}
		if !m.Unusable(o.company, o.err) {
			ofRegistry++
		}
	}

	m.count(len(outcomes) - failed)
	down = ofRegistry > len(outcomes)/2
	if down && len(first) > 0 {
		m.queue.repeat(batch{first, b.keep})
	}
	if len(first) > 0 && !m.down {
		m.Log.Error("looking at companies failed; retrying with backoff", "companies", failed, "of",
			len(outcomes), "error", last)
	}

	m.down = down
	return down
}

// pauseAfter returns the pause after a batch. It doubles with each failure, up to the time between sweeps, and is 0
// after a success.
func (m *Mirror) pauseAfter(failed bool) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if failed {
		m.pause = min(max(2*m.pause, 5*idlePause), m.Sweep)
	} else {
		m.pause = 0
	}

	return m.pause
}

// report logs when the store starts to fail, and when it works again.
func (m *Mirror) report(err error) {
	switch failing := err != nil; {
	case failing && !m.failing.Swap(true):
		m.Log.Error("finding companies to look at failed; retrying", "error", err)
	case !failing && m.failing.Swap(false):
		m.Log.Info("companies are looked at again")
	}
}
