// Package ration shares the tax authority's limit of one request a second among all its users. A [Lookup] batches
// requests for single companies, taking callers in turn; [Paced] calls and calls to other registers take turns with its
// calls.
package ration

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
)

// LookupOptions bound a Lookup. The zero value has the defaults.
type LookupOptions struct {
	// Pace is the minimum time between the starts of two calls. Default 1.05 s: the tax authority allows one call per
	// second and client.
	Pace time.Duration
	// Deadline is the maximum time that a company waits for its call, and the maximum duration of a call. Default
	// [Deadline].
	Deadline time.Duration
	// Queue is the maximum number of companies waiting for a call. Default 800, which take 8 calls.
	Queue int
	// Ration coordinates the pace of several processes. Default nil: this process is the only one.
	Ration Ration
	// Shut reports that the breaker is open. Calls then fail at once without a turn of the Ration, and nothing is
	// refreshed ahead. Default nil: never.
	Shut func() bool
	// Observe is called with the results of every successful call, before its callers get them, and with the day that
	// was used for today. Further calls start meanwhile. The context ends with the call's deadline, and when the lookup
	// is closed. If Observe panics, callers still get the results. Default nil.
	Observe func(ctx context.Context, asked ro.Date, results map[ro.CompanyDay]anaf.Result)
	// Processes is the number of processes that share the Ration. While the Ration is unreachable, each process
	// multiplies its pace by this number. Default 1.
	Processes int
}

// defaultPace keeps a small margin to the tax authority's limit of one call a second.
const defaultPace = time.Second + time.Second/20

// Deadline is the time that a caller should wait for a company.
const Deadline = 12 * time.Second

// Lookup requests single companies in batches. It composes a [batcher], which fills the next batch, a [bisector], which
// finds the numbers that make a batch fail, and a [pacer], which determines when the next call may start. It is safe
// for concurrent use.
//
// A call may have companies on different days, but a company is in it at most once, because it is undocumented whether
// the register answers a number twice in one call.
//
// Concurrent callers for the same company and day must share one lookup, as with cache.Facts.
type Lookup struct {
	fetch   anaf.Fetch
	options LookupOptions
	wake    chan struct{} // capacity 1: the state below has changed
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	queue    batcher
	bisector bisector
	pacer    pacer
	paced    pacedQueue
	stats    Stats // the counters only
}

// NewLookup starts the goroutine that dispatches calls; Close stops it.
func NewLookup(fetch anaf.Fetch, o LookupOptions) *Lookup {
	o.Pace = cmp.Or(max(o.Pace, 0), defaultPace)
	o.Deadline = cmp.Or(max(o.Deadline, 0), Deadline)
	o.Queue = cmp.Or(max(o.Queue, 0), 8*anaf.MaxBatch)
	o.Processes = max(o.Processes, 1)
	ctx, cancel := context.WithCancel(context.Background())
	l := &Lookup{fetch: fetch, options: o, pacer: pacer{pace: o.Pace}, wake: make(chan struct{}, 1), cancel: cancel}
	l.running.Go(func() { l.dispatch(ctx) })
	return l
}

// Close cancels the running calls, waits for them, and fails all queued requests.
func (l *Lookup) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.running.Wait()

	l.mu.Lock()
	defer l.mu.Unlock()
	for r := range l.queue.all() {
		r.resolve(anaf.Result{Err: closedFailure(0, errClosing)})
	}

	for r := range l.bisector.all() {
		r.resolve(anaf.Result{Err: closedFailure(0, errClosing)})
	}

	for _, c := range l.paced.waiting {
		c.end(closedFailure(0, errClosing))
	}

	l.queue, l.bisector, l.paced = batcher{}, bisector{}, pacedQueue{}
}

// Company returns the record of one company on a day. The zero day is today in Bucharest at the time of the call. The
// context carries the caller (op.WithCaller), and the demand the urgency.
//
// Company returns op.ErrUnknown for a number that the tax authority does not know, otherwise an *op.Failure. The
// failure is Closed if the queue is full: at once, or later when a caller with fewer requests takes its place. It is
// TimedOut if no call includes the company before the deadline.
//
// When the demand is abandoned, a waiting company is dropped at once with cache.ErrPutOff. A call on the wire is
// finished, because it has used a turn, and Company returns its result for the cache. The same holds when the deadline
// passes.
func (l *Lookup) Company(ctx context.Context, company ro.CompanyDay, d cache.Demand) (*anaf.Record, error) {
	r, err := l.enqueue(ctx, company, d.Urgency())
	if err != nil {
		return nil, err
	}
	if err := l.await(ctx, r, d); err != nil {
		return nil, err
	}

	return r.result.Record, nil
}

// await waits for a request's result. When a caller starts waiting for a background fetch, the request is promoted and
// its deadline restarts.
func (l *Lookup) await(ctx context.Context, r *request, d cache.Demand) error {
	deadline := time.NewTimer(l.options.Deadline)
	defer deadline.Stop()
	attended, abandoned := d.Attended(), d.Abandoned()
	for {
		select {
		case <-r.done:
			return r.result.Err
		case <-attended:
			attended = nil
			l.promote(ctx, r)
			deadline.Reset(l.options.Deadline)
		case <-abandoned:
			abandoned = nil
			l.abandon(r)
		case <-deadline.C:
			if l.abandon(r) {
				return gaveUp(fmt.Errorf("waiting for company %s: %w", r.company, context.DeadlineExceeded))
			}
		case <-ctx.Done():
			l.abandon(r)
			return gaveUp(fmt.Errorf("waiting for company %s: %w", r.company, ctx.Err()))
		}
	}
}

// promote gives a background request the priority of the caller who now waits for it.
func (l *Lookup) promote(ctx context.Context, r *request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue.promote(r, turnOf(ctx))
	r.until = time.Now().Add(l.options.Deadline)
	l.wakeDispatcher()
}

// abandon drops a request without waiting callers, and reports whether it did. If the request is on the wire, the call
// is finished, but it is not repeated if it fails.
func (l *Lookup) abandon(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.abandoned = true
	if r.onWire || r.isResolved() {
		return false
	}

	l.drop(r)
	l.wakeDispatcher()
	return true
}

// drop removes a request from all queues. The caller holds the lock.
func (l *Lookup) drop(r *request) {
	l.queue.remove(r)
	l.bisector.remove(r)
	r.resolve(anaf.Result{Err: errUnwanted})
}

// errUnwanted is the error of a request dropped from the queue.
var errUnwanted = closedFailure(0, fmt.Errorf("the last caller has left: %w", cache.ErrPutOff))

// gaveUp returns the failure of a caller whose context has ended.
func gaveUp(err error) error {
	f := &op.Failure{Registry: anaf.Registry, Kind: op.TimedOut, Err: err}
	if errors.Is(err, context.Canceled) {
		f.Kind = op.Broken
	}
	return f
}

// wakeDispatcher wakes the dispatcher.
func (l *Lookup) wakeDispatcher() {
	select {
	case l.wake <- struct{}{}:
	default: // it will check anyway
	}
}

var errClosing = errors.New("the service is stopping")

func closedFailure(wait time.Duration, err error) error {
	return &op.Failure{Registry: anaf.Registry, Kind: op.Closed, RetryAfter: max(wait, time.Second), Err: err}
}
