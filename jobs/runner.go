package jobs

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

const (
	// atOnce bounds the jobs that run concurrently, and atOnceEach those of one account. An account's first job may
	// exceed atOnce, so that it need not wait for jobs of other accounts, up to firstAtOnce jobs in all.
	atOnce      = 8
	atOnceEach  = 2
	firstAtOnce = 32
	// pollInterval is the interval at which the store is checked for jobs of other edges, which do not wake the runner.
	pollInterval = 5 * time.Second
	// postponement is the pause of a job that has to wait for the tax authority, another process or the store.
	postponement = 5 * time.Second
)

// Desk looks up companies. It is an *company.Desk.
type Desk interface {
	// Asked returns the company of each item. It is the zero value for an item without a company.
	Asked(ctx context.Context, items []company.BatchRequest) []ro.CompanyDay
	LookUp(ctx context.Context, caller account.Caller, items []company.BatchRequest, fields []company.Field,
		wait time.Duration) ([]company.Outcome, error)
	// Problem returns the problem for the error of a failed look-up.
	Problem(ctx context.Context, err error) *problem.Problem
}

// Register is the tax authority's register behind its cache.
type Register interface {
	// Fresh reports whether a company can be answered without querying the tax authority.
	Fresh(ctx context.Context, company ro.CompanyDay) bool
	// Warm requests companies in the background, with lower priority than callers. It calls each with every outcome,
	// and waits for all of them, or until ctx ends.
	Warm(ctx context.Context, companies []ro.CompanyDay, each func(ro.CompanyDay, error)) error
}

// Options are the settings and dependencies of a runner. Fields without a default are required.
type Options struct {
	Store    Store
	Desk     Desk
	Register Register
	Purse    Purse
	// Unusable reports whether an error of Register.Warm concerns the tax authority's data about this company alone,
	// rather than the tax authority.
	Unusable func(company ro.CUI, err error) bool
	// Share is the part of the tax authority's ration that all jobs together may use.
	Share *work.Share
	// Ended, if set, is called when a job has completed or failed.
	Ended func(ctx context.Context, job *Job)
	Log   *slog.Logger
}

// Runner works on jobs.
type Runner struct {
	Options
	bell work.Bell

	mu      sync.Mutex
	working map[job.ID]string    // the accounts of the jobs in progress
	later   map[job.ID]time.Time // the times at which waiting jobs continue
}

// NewRunner returns a runner. Run starts it.
func NewRunner(o Options) *Runner {
	return &Runner{
		Options: o, bell: work.NewBell(), working: make(map[job.ID]string), later: make(map[job.ID]time.Time),
	}
}

// Wake makes the runner look for jobs at once.
func (r *Runner) Wake() { r.bell.Ring() }

// Run works on jobs until the context ends. In a fleet, one process does so at a time.
func (r *Runner) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	work.RepeatLogged(ctx, r.bell, r.Log, "reading the jobs failed; trying again",
		func(ctx context.Context) (time.Duration, error) {
			all, err := r.Store.Unfinished(ctx)
			for i := range all {
				if job := &all[i]; r.claim(job, time.Now()) {
					running.Go(func() { r.work(ctx, job) })
				}
			}

			return r.untilNext(time.Now()), err
		})
}

// untilNext returns the time until a waiting job continues, at most pollInterval.
func (r *Runner) untilNext(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	pause := pollInterval
	for _, at := range r.later {
		if now.Before(at) {
			pause = min(pause, at.Sub(now))
		}
	}

	return pause
}

// claim reports whether a job can be worked on now, and if so marks it as in progress.
func (r *Runner) claim(job *Job, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.working[job.ID]; taken || now.Before(r.later[job.ID]) {
		return false
	}

	ofAccount := 0
	for _, account := range r.working {
		if account == job.Account {
			ofAccount++
		}
	}

	if ofAccount >= atOnceEach || len(r.working) >= firstAtOnce || ofAccount > 0 && len(r.working) >= atOnce {
		return false
	}

	r.working[job.ID] = job.Account
	return true
}

// release marks a job as no longer in progress. If later is not zero, the job continues at that time at the earliest.
func (r *Runner) release(id job.ID, later time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.working, id)
	now := time.Now()
	maps.DeleteFunc(r.later, func(_ job.ID, at time.Time) bool { return !now.Before(at) })
	if now.Before(later) {
		r.later[id] = later
	}
}

// work works on a job until it has ended, has to wait, or the context ends.
func (r *Runner) work(ctx context.Context, job *Job) {
	var later time.Time
	defer func() {
		if p := recover(); p != nil {
			r.Log.Error("working on a job panicked; trying again later", "job", job.ID, "panic", panics.Error(p))
			later = time.Now().Add(lastRetry)
		}

		r.release(job.ID, later)
		r.Wake() // another job may begin
	}()

	run := &run{Runner: r}
	defer run.release()
	err := run.open(ctx, job.ID)
	for err == nil && ctx.Err() == nil {
		later, err = run.step(ctx)
		if !later.IsZero() {
			return
		}
	}

	switch {
	case errors.Is(err, errEnded), ctx.Err() != nil:
	case errors.Is(err, ErrConflict): // cancelled, or continued by another process
	default:
		r.Log.Error("working on a job failed; trying again", "job", job.ID, "error", err)
		later = time.Now().Add(postponement)
	}
}
