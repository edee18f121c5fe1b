package ration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
)

// BatchLookup requests single companies from another register of the tax authority, in paced calls ([Paced]). A call
// takes as many waiting companies as the register allows. Callers take turns, as in a [Lookup]. If the connection
// breaks before the register has answered, a company is requested once more, in a later call. It is safe for concurrent
// use.
type BatchLookup struct {
	lookup    *Lookup
	fetch     anaf.Fetch
	batchSize int

	mu      sync.Mutex
	queue   batcher // interactive requests, and those to be requested again
	running bool    // a goroutine queues the calls
}

// NewBatchLookup returns a BatchLookup that calls fetch for up to batchSize companies at a time. Its calls take turns
// with the lookup's calls. Its queue holds as many calls as the lookup's.
func NewBatchLookup(l *Lookup, batchSize int, fetch anaf.Fetch) *BatchLookup {
	return &BatchLookup{lookup: l, fetch: fetch, batchSize: batchSize}
}

// Record returns the record of one company on a day. It returns the same errors as [Lookup.Company].
func (b *BatchLookup) Record(ctx context.Context, company ro.CompanyDay, d cache.Demand) (*anaf.Record, error) {
	r := b.enqueue(ctx, company)
	abandoned := d.Abandoned()
	for {
		select {
		case <-r.done:
			return r.result.Record, r.result.Err
		case <-abandoned:
			if b.withdraw(r) {
				return nil, errUnwanted
			}
			abandoned = nil
		case <-ctx.Done():
			b.withdraw(r)
			return nil, gaveUp(fmt.Errorf("waiting for company %s: %w", company, ctx.Err()))
		}
	}
}

func (b *BatchLookup) enqueue(ctx context.Context, company ro.CompanyDay) *request {
	r := &request{company: company, caller: turnOf(ctx), priority: interactive, done: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.queue.len() >= b.lookup.options.Queue*b.batchSize/anaf.MaxBatch {
		r.resolve(anaf.Result{Err: closedFailure(0, ErrBusy)})
		return r
	}

	b.queue.push(r)
	if !b.running {
		b.running = true
		go b.run(context.WithoutCancel(ctx))
	}

	return r
}

// withdraw removes a request, unless a call contains it.
func (b *BatchLookup) withdraw(r *request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queue.remove(r)
}

// run queues one call after the other as long as requests wait. If a call gets no turn in time, its requests fail.
func (b *BatchLookup) run(ctx context.Context) {
	for {
		turn, cancel := context.WithTimeout(ctx, b.lookup.options.Deadline)
		called := false
		err := b.lookup.runPaced(turn, cache.Demand{}, func(ctx context.Context) error {
			called = true
			return b.call(ctx)
		})
		cancel()

		b.mu.Lock()
		if !called {
			resolve(slices.Collect(b.queue.all()), nil, err)
			b.queue = batcher{}
		}

		b.running = b.queue.len() > 0
		done := !b.running
		b.mu.Unlock()
		if done {
			return
		}
	}
}

func (b *BatchLookup) isFull() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queue.len() >= b.batchSize
}

// take removes the requests of the next call.
func (b *BatchLookup) take() []*request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queue.batch(nil, b.batchSize)
}

var (
	errAbandoned = fmt.Errorf("no caller waits any more: %w", upstream.ErrNotSent)
	errNoReturn  = errors.New("the call did not return")
)

// call requests the waiting companies. If it has free slots, it first waits for more companies of the same list.
func (b *BatchLookup) call(ctx context.Context) (err error) {
	if !b.isFull() {
		select {
		case <-time.After(gatherTime):
		case <-ctx.Done():
		}
	}

	taken := b.take()
	if len(taken) == 0 {
		return errAbandoned
	}

	companies := make([]ro.CompanyDay, len(taken))
	for i, r := range taken {
		companies[i] = r.company
	}

	var results map[ro.CompanyDay]anaf.Result
	err = errNoReturn
	defer func() {
		if errors.Is(err, upstream.ErrConnection) {
			taken = b.retry(taken)
		}
		resolve(taken, results, err)
	}()
	results, err = b.fetch(ctx, companies)
	return err
}

// retry queues the companies of a broken call once more, ahead of all others. It returns the requests that were already
// retried.
func (b *BatchLookup) retry(taken []*request) (retried []*request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range taken {
		if r.priority == again {
			retried = append(retried, r)
		} else {
			b.queue.pushAs(again, r)
		}
	}

	return retried
}

func resolve(requests []*request, results map[ro.CompanyDay]anaf.Result, err error) {
	for _, r := range requests {
		if err != nil {
			r.resolve(anaf.Result{Err: err})
		} else {
			r.resolve(anaf.ResultOf(results, r.company))
		}
	}
}
