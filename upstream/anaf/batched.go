package anaf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream"
)

// Batched requests single companies from another register of the tax authority, in paced calls ([Paced]). A call takes
// as many waiting companies as the register allows. Callers take turns, as in a [Lookup]. If the connection breaks
// before the register has answered, a company is requested once more, in a later call. It is safe for concurrent use.
type Batched struct {
	lookup *Lookup
	fetch  Fetch
	most   int // companies in a call

	mu      sync.Mutex
	waiting []*request // not in any call yet; the next first
	running bool       // a goroutine queues the calls
}

// NewBatched returns a Batched that calls fetch for up to most companies at a time. Its calls take turns with the
// lookup's calls. Its queue holds as many calls as the lookup's.
func NewBatched(l *Lookup, most int, fetch Fetch) *Batched {
	return &Batched{lookup: l, fetch: fetch, most: most}
}

// Record returns the record of one company on a day. It returns the same errors as [Lookup.Company].
func (b *Batched) Record(ctx context.Context, company api.CompanyDay, d cache.Demand) (*Record, error) {
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

func (b *Batched) enqueue(ctx context.Context, company api.CompanyDay) *request {
	r := &request{company: company, caller: turnOf(ctx), since: time.Now(), done: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) >= b.lookup.options.Queue*b.most/MaxBatch {
		r.settle(Result{Err: closed(0, ErrBusy)})
		return r
	}

	b.push(r)
	if !b.running {
		b.running = true
		go b.run(context.WithoutCancel(ctx))
	}

	return r
}

// push queues a request in its caller's turn: a caller's n-th waiting request comes after the n-th requests of all
// callers, and before their next ones.
func (b *Batched) push(r *request) {
	for _, other := range b.waiting {
		if other.caller == r.caller {
			r.round++
		}
	}

	at := len(b.waiting)
	for at > 0 && b.waiting[at-1].round > r.round {
		at--
	}

	b.waiting = slices.Insert(b.waiting, at, r)
}

// withdraw removes a request, unless a call contains it.
func (b *Batched) withdraw(r *request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, r)
	if i < 0 {
		return false
	}

	b.waiting = slices.Delete(b.waiting, i, i+1)
	return true
}

// run queues one call after the other as long as requests wait. If a call gets no turn in time, its requests fail.
func (b *Batched) run(ctx context.Context) {
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
			settle(b.waiting, nil, err)
			b.waiting = nil
		}

		b.running = len(b.waiting) > 0
		done := !b.running
		b.mu.Unlock()
		if done {
			return
		}
	}
}

func (b *Batched) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting) >= b.most
}

// take removes the next requests, each for a different company, for one call.
func (b *Batched) take() (taken []*request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var others []*request
	asked := make(map[api.CUI]bool, b.most)
	for _, r := range b.waiting {
		if len(taken) < b.most && !asked[r.company.CUI] {
			asked[r.company.CUI] = true
			taken = append(taken, r)
		} else {
			others = append(others, r)
		}
	}

	b.waiting = others
	return taken
}

var (
	errAbandoned = fmt.Errorf("no caller waits any more: %w", upstream.ErrNotAsked)
	errNoReturn  = errors.New("the call did not return")
)

// call requests the waiting companies. If it has free places, it first waits for more companies of the same list.
func (b *Batched) call(ctx context.Context) (err error) {
	if !b.full() {
		select {
		case <-time.After(gatherTime):
		case <-ctx.Done():
		}
	}

	taken := b.take()
	if len(taken) == 0 {
		return errAbandoned
	}

	companies := make([]api.CompanyDay, len(taken))
	for i, r := range taken {
		companies[i] = r.company
	}

	var results map[api.CompanyDay]Result
	err = errNoReturn
	defer func() {
		if errors.Is(err, upstream.ErrConnection) {
			taken = b.retry(taken)
		}
		settle(taken, results, err)
	}()
	results, err = b.fetch(ctx, companies)
	return err
}

// retry queues the companies of a broken call once more, ahead of all others. It returns the requests that were already
// retried.
func (b *Batched) retry(taken []*request) (tried []*request) {
	var again []*request
	for _, r := range taken {
		if r.retried {
			tried = append(tried, r)
		} else {
			r.retried = true
			again = append(again, r)
		}
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(again, b.waiting...)
	return tried
}

func settle(requests []*request, results map[api.CompanyDay]Result, err error) {
	for _, r := range requests {
		if err != nil {
			r.settle(Result{Err: err})
		} else {
			r.settle(resultOf(results, r.company))
		}
	}
}
