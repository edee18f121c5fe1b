package jobs

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

const (
	// atOnce bounds the jobs that run concurrently, and atOnceEach the jobs of one account.
	atOnce     = 8
	atOnceEach = 2
	// lookEvery is the interval at which the store is polled for jobs.
	lookEvery = time.Second
	// postponed is the pause of a job after a failure of its registry or of the store.
	postponed = 5 * time.Second
	// firstRetry is the pause before failed rows are retried; it doubles up to lastRetry.
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// Desk looks up companies. It is an *api.CompanyDesk.
type Desk interface {
	// Asked returns the company of each item. It is the zero value for an item without a company.
	Asked(ctx context.Context, items []api.BatchRequest) []api.CompanyDay
	LookUp(ctx context.Context, caller account.Caller, items []api.BatchRequest, fields []api.Field,
		wait time.Duration) ([]api.CompanyOutcome, error)
	// Problem returns the problem for the error of a failed look-up.
	Problem(ctx context.Context, err error) *problem.Problem
}

// Register is the tax authority's register behind its cache.
type Register interface {
	// Fresh reports whether a company can be answered without asking the tax authority.
	Fresh(ctx context.Context, company api.CompanyDay) bool
	// Warm requests a company in the background, with lower priority than callers, and calls done once.
	Warm(ctx context.Context, company api.CompanyDay, done func(error))
}

// Purse takes credits from accounts.
type Purse interface {
	// Hold reserves credits of an account for a job: the requested number, or as many as are left.
	Hold(ctx context.Context, account, key string, credits int) (Hold, error)
	// Remaining returns the credits that an account has left. It reports false if they have no limit.
	Remaining(ctx context.Context, account string) (int64, bool)
}

// Hold is a reservation of credits.
type Hold interface {
	// Pay charges a price durably. Within a day, a name is charged only once, even if Pay is called again. It returns
	// ErrExhausted if too few credits are left, and ErrPaying while another process pays for the same name.
	Pay(ctx context.Context, name string, credits int) error
	Release()
}

// Errors of Hold.
var (
	ErrExhausted = errors.New("the account's credits are used up")
	ErrPaying    = errors.New("the price is being paid by another process")
)

// Options are the settings and dependencies of a runner. Fields without a default are required.
type Options struct {
	Store    Store
	Desk     Desk
	Register Register
	Purse    Purse
	// Ready reports whether the tax authority may be asked in the background.
	Ready func() bool
	// Share is the part of the ration that jobs may use: more than 0, at most 1. Default 0.5.
	Share float64
	// Pace is the ration's time between two calls. Default 1.05 s.
	Pace time.Duration
	// Ended, if set, is called when a job has completed or failed.
	Ended func(ctx context.Context, job *Job)
	Log   *slog.Logger
}

// Runner works on jobs.
type Runner struct {
	Options
	pace pace
	wake chan struct{}

	mu      sync.Mutex
	working map[api.JobID]string    // the accounts of the jobs in progress
	later   map[api.JobID]time.Time // the times at which waiting jobs continue
}

// NewRunner returns a runner. Run starts it.
func NewRunner(o Options) *Runner {
	o.Share = cmp.Or(o.Share, 0.5)
	o.Pace = cmp.Or(o.Pace, time.Second+time.Second/20)
	return &Runner{
		Options: o, pace: pace{every: time.Duration(float64(o.Pace) / o.Share)}, wake: make(chan struct{}, 1),
		working: make(map[api.JobID]string), later: make(map[api.JobID]time.Time),
	}
}

// Wake makes the runner look for jobs at once.
func (r *Runner) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run works on jobs until the context ends. In a fleet, one process does so at a time.
func (r *Runner) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	failing := false
	for ctx.Err() == nil {
		all, err := r.Store.Unfinished(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			r.Log.Error("reading the jobs failed; trying again", "error", err)
		}

		failing = err != nil
		for i := range all {
			if job := &all[i]; r.take(job, time.Now()) {
				running.Go(func() { r.work(ctx, job) })
			}
		}

		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-r.wake:
		}
	}
}

// take reports whether a job can be worked on now, and if so marks it as in progress.
func (r *Runner) take(job *Job, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.working[job.ID]; taken || len(r.working) >= atOnce || now.Before(r.later[job.ID]) {
		return false
	}

	same := 0
	for _, account := range r.working {
		if account == job.Account {
			same++
		}
	}

	if same >= atOnceEach {
		return false
	}

	delete(r.later, job.ID)
	r.working[job.ID] = job.Account
	return true
}

// put marks a job as no longer in progress. If later is not zero, the job continues at that time at the earliest.
func (r *Runner) put(id api.JobID, later time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.working, id)
	if !later.IsZero() {
		r.later[id] = later
	}
}

// work works on a job until it has ended, has to wait, or the context ends.
func (r *Runner) work(ctx context.Context, job *Job) {
	var later time.Time
	defer func() {
		if p := recover(); p != nil {
			r.Log.Error("working on a job panicked; trying again later", "job", job.ID, "panic", p)
			later = time.Now().Add(lastRetry)
		}

		r.put(job.ID, later)
		r.Wake() // another job may begin
	}()

	run := &run{Runner: r, job: job, caller: account.Caller{
		Key: &account.Key{ID: job.Order.Key, Account: job.Account},
	}}
	defer run.release()
	err := run.open(ctx)
	for err == nil && ctx.Err() == nil {
		later, err = run.step(ctx)
		if !later.IsZero() {
			return
		}
	}

	switch {
	case errors.Is(err, errEnded), ctx.Err() != nil:
	case errors.Is(err, ErrMoved): // cancelled, or continued by another process
	default:
		r.Log.Error("working on a job failed; trying again", "job", job.ID, "error", err)
		later = time.Now().Add(postponed)
	}
}

// pace spaces the calls of all jobs to the tax authority, so that they use no more than their share of the ration.
type pace struct {
	every time.Duration

	mu   sync.Mutex
	slot time.Time
}

// await waits for the turn of a number of calls, in FIFO order.
func (p *pace) await(ctx context.Context, calls int) error {
	p.mu.Lock()
	now := time.Now()
	turn := p.slot
	if turn.Before(now) {
		turn = now
	}

	p.slot = turn.Add(time.Duration(calls) * p.every)
	p.mu.Unlock()
	return sleep(ctx, turn.Sub(now))
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}

	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
