package anaf

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
)

// Fetch asks about several companies in one call, as Client.Profiles does.
type Fetch func(ctx context.Context, cuis []api.CUI) (map[api.CUI]Result, error)

// LookupOptions bound a Lookup. The zero value is the defaults.
type LookupOptions struct {
	// Pace is the least time between the starts of two calls. Default 1.05 s:
	// the register allows one a second to a client.
	Pace time.Duration
	// Deadline is how long a lookup waits to be asked about, and how long a call may
	// take. Default [Deadline].
	Deadline time.Duration
	// Queue is how many companies may wait to be asked about. Default 800, which
	// take 8 calls.
	Queue int
	// Ration gives out the turns when several processes ask the register, which
	// keep the pace together. Default nil: this process is the only one.
	Ration Ration
	// Shut reports that no call would be made at this moment, since a breaker is
	// open: it fails at once then, takes nobody's turn, and nothing is renewed
	// ahead. Default nil: never.
	Shut func() bool
	// Processes is how many there are: each keeps the pace times their number when
	// the Ration fails. Default 1.
	Processes int
}

// Deadline is how long a caller should wait for a company.
const Deadline = 12 * time.Second

// maxCalls is how many calls may run at once, so that one which hangs does not
// hold up all others.
const maxCalls = 2

// Lookup asks about single companies by gathering those that are wanted at the
// same time into one call. Callers take turns in filling it, those who wait
// before refreshes behind their back. It is safe for concurrent use.
type Lookup struct {
	fetch   Fetch
	options LookupOptions
	wake    chan struct{} // of capacity 1: the state below has changed
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	tickets map[api.CUI]*ticket // every number that somebody waits for
	queue   queue               // not yet asked about
	errands []*errand           // not yet run, the next first
	passed  int                 // batches that went before the next errand
	calls   int                 // running, of either sort
	next    time.Time           // earliest start of the next call
	pace    time.Duration       // what is kept between two calls at this moment
	stats   Stats               // its counters

	onErrand bool // one is running; the other calls are for companies

	// What is left of failed calls.
	suspects   []suspects
	spared     []*ticket // to be asked about again, first of all
	well       bool      // a call was answered since the last batch that failed
	quarantine quarantine
}

// NewLookup starts the goroutine that dispatches calls; Close ends it.
func NewLookup(fetch Fetch, o LookupOptions) *Lookup {
	if o.Pace <= 0 {
		o.Pace = time.Second + time.Second/20
	}
	if o.Deadline <= 0 {
		o.Deadline = Deadline
	}
	if o.Queue <= 0 {
		o.Queue = 8 * MaxBatch
	}
	o.Processes = max(o.Processes, 1)
	ctx, cancel := context.WithCancel(context.Background())
	l := &Lookup{fetch: fetch, options: o, pace: o.Pace, wake: make(chan struct{}, 1), cancel: cancel, tickets: map[api.CUI]*ticket{}, quarantine: quarantine{}}
	l.running.Go(func() { l.dispatch(ctx) })
	return l
}

// Close fails the lookups and errands that are waiting, and returns when no call
// runs.
func (l *Lookup) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.running.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.tickets {
		l.settle(t, Result{Err: closed(0, errClosing)})
	}
	for _, e := range l.errands {
		e.end(closed(0, errClosing))
	}
	l.errands = nil
}

// Company is the profile of one company. The error is api.ErrUnknown for a
// number that the register does not know, else an *api.Failure: Closed when the
// queue is full (at once, or when the place is needed for a caller who has
// fewer), TimedOut when no call asks about it before the deadline passes.
//
// The context says who calls (api.WithCaller), the demand who waits for the answer.
// Once it is abandoned, a number that still waits is dropped with
// cache.ErrPutOff at once, but a call that is under way is waited for: it has cost
// its turn, and whoever asks next finds the answer in the cache. The same holds when
// the deadline passes. The result is the caller's own, what it points to is shared.
func (l *Lookup) Company(ctx context.Context, cui api.CUI, d cache.Demand) (*api.Company, error) {
	t, err := l.join(ctx, cui, d.Urgency())
	if err != nil {
		return nil, err
	}
	if err := l.await(ctx, t, d); err != nil {
		return nil, err
	}
	company := *t.result.Company
	return &company, nil
}

// await waits for a ticket's result. When a caller starts waiting for a background
// fetch, the ticket is promoted and the deadline starts anew.
func (l *Lookup) await(ctx context.Context, t *ticket, d cache.Demand) error {
	leave := sync.OnceFunc(func() { l.leave(t) })
	defer leave()
	patience := time.NewTimer(l.options.Deadline)
	defer patience.Stop()
	attended, abandoned := d.Attended(), d.Abandoned()
	for {
		select {
		case <-t.done:
			return t.result.Err
		case <-attended:
			attended = nil
			l.attend(ctx, t)
			patience.Reset(l.options.Deadline)
		case <-abandoned:
			abandoned = nil
			leave()
		case <-patience.C:
			if !l.onWire(t) {
				return gaveUp(fmt.Errorf("waiting for company %s: %w", t.cui, context.DeadlineExceeded))
			}
			leave()
		case <-ctx.Done():
			return gaveUp(fmt.Errorf("waiting for company %s: %w", t.cui, ctx.Err()))
		}
	}
}

// gaveUp is the failure of a caller who waits no longer.
func gaveUp(err error) error {
	f := &api.Failure{Registry: registry, Kind: api.TimedOut, Err: err}
	if errors.Is(err, context.Canceled) {
		f.Kind = api.Broken
	}
	return f
}

func (l *Lookup) changed() {
	select {
	case l.wake <- struct{}{}:
	default: // it will look anyway
	}
}

var errClosing = errors.New("the service is stopping")

func closed(wait time.Duration, err error) error {
	return &api.Failure{Registry: registry, Kind: api.Closed, RetryAfter: max(wait, time.Second), Err: err}
}
