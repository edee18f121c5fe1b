package work

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// grace is how long Close lets work in progress continue before it cancels the work.
	grace = 5 * time.Second
	// writeTime is the maximum duration of a write in Write.
	writeTime = 5 * time.Second
)

// Pool runs workers and other background jobs until it is closed. The zero Pool has no jobs.
type Pool struct {
	once     sync.Once
	stopping context.Context // ends with Close
	stop     context.CancelFunc
	ctx      context.Context // of all jobs; ends after a grace period
	cancel   context.CancelFunc
	running  sync.WaitGroup
}

func (p *Pool) open() {
	p.once.Do(func() {
		p.stopping, p.stop = context.WithCancel(context.Background())
		p.ctx, p.cancel = context.WithCancel(context.Background())
	})
}

// Go runs a job, whose context ends when the pool is being closed.
func (p *Pool) Go(job func(context.Context)) {
	p.open()
	p.running.Go(func() { job(p.stopping) })
}

// Repeat runs a job now, and again after each pause that it returns.
func (p *Pool) Repeat(job func(context.Context) (pause time.Duration)) { p.repeat(nil, job) }

func (p *Pool) repeat(bell Bell, job func(context.Context) time.Duration) {
	p.Go(func(stopping context.Context) {
		Repeat(stopping, bell, func(context.Context) time.Duration { return job(p.ctx) })
	})
}

// IsStopping reports whether the pool is being closed, so that no new work should begin.
func (p *Pool) IsStopping() bool {
	p.open()
	return p.stopping.Err() != nil
}

// Close ends all jobs. Work in progress gets 5 seconds, after which its context is canceled.
func (p *Pool) Close() {
	p.open()
	p.stop()
	timer := time.AfterFunc(grace, p.cancel)
	p.running.Wait()
	timer.Stop()
	p.cancel()
}

// Worker works through a queue in the background.
type Worker struct {
	// Name is the queue's name in the log.
	Name string
	// NextDue returns the time at which the next row is due; zero if there is none.
	NextDue func(context.Context) (time.Time, error)
	// Work claims some due rows and processes them. It returns the number of claimed rows.
	Work func(context.Context) (int, error)
	// Poll is the interval at which the store is checked without being woken, for work left behind by other processes.
	Poll time.Duration
	// Now returns the current time.
	Now    func() time.Time
	Logger *slog.Logger

	bell Bell
}

// Start runs workers, which may wake one another.
func (p *Pool) Start(workers ...*Worker) {
	for _, w := range workers {
		w.bell = NewBell()
	}

	for _, w := range workers {
		p.repeat(w.bell, func(ctx context.Context) time.Duration { return w.drain(ctx, p) })
	}
}

// Wake makes the worker check the queue now. It does nothing for a worker that was not started.
func (w *Worker) Wake() { w.bell.Ring() }

// drain processes all due rows, and returns the time until the next one.
func (w *Worker) drain(ctx context.Context, p *Pool) time.Duration {
	for !p.IsStopping() {
		due, err := w.NextDue(ctx)
		if err != nil {
			w.Logger.Warn("reading the queue failed", "queue", w.Name, "error", err)
			return w.Poll
		}
		if due.IsZero() {
			return w.Poll
		}
		if wait := due.Sub(w.Now()); wait > 0 {
			return min(wait, w.Poll)
		}

		switch n, err := w.Work(ctx); {
		case err != nil:
			w.Logger.Warn("claiming from the queue failed", "queue", w.Name, "error", err)
			return w.Poll
		case n == 0: // another process was faster
			return time.Second
		}
	}

	return w.Poll
}

// Write records the outcome of a piece of work, within 5 seconds, even if the work has run out of time or the pool is
// being closed.
func Write(ctx context.Context, write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	return write(ctx)
}
