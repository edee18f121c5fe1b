package profile

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

const (
	// maxBackground bounds the companies waiting for a background fetch.
	maxBackground = 10_000
	// maxFetched is the maximum number of companies fetched concurrently.
	maxFetched = 2 * anaf.MaxBatch
)

// backgroundFetcher fetches companies in the background, a few at a time: companies that a list could not wait for, and
// companies that it found stale. Its goroutine runs only while companies are waiting.
type backgroundFetcher struct {
	fetch   func(ctx context.Context, company ro.CompanyDay, done func(error))
	ctx     context.Context // ends on close
	close   context.CancelFunc
	working sync.WaitGroup
	slots   chan struct{}

	mu      sync.Mutex
	waiting []fetchRequest
	known   map[ro.CompanyDay]bool // the waiting companies
	busy    bool                   // the goroutine is running
}

// fetchRequest is a company to fetch on behalf of a caller.
type fetchRequest struct {
	ctx     context.Context
	company ro.CompanyDay
}

func newBackgroundFetcher(fetch func(context.Context, ro.CompanyDay, func(error))) *backgroundFetcher {
	l := &backgroundFetcher{fetch: fetch, slots: make(chan struct{}, maxFetched), known: map[ro.CompanyDay]bool{}}
	l.ctx, l.close = context.WithCancel(context.Background())
	return l
}

// end drops the waiting companies, and waits for the goroutine.
func (l *backgroundFetcher) end() {
	l.close()
	l.working.Wait()
}

// add queues companies as long as there is room. They are fetched on behalf of the caller in ctx, even if ctx ends
// earlier.
func (l *backgroundFetcher) add(ctx context.Context, companies []ro.CompanyDay) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, company := range companies {
		if len(l.waiting) < maxBackground && !l.known[company] {
			l.known[company] = true
			l.waiting = append(l.waiting, fetchRequest{context.WithoutCancel(ctx), company})
		}
	}

	if len(l.waiting) > 0 && !l.busy && l.ctx.Err() == nil {
		l.busy = true
		l.working.Go(l.work)
	}
}

// next removes and returns the company that has waited longest. It returns nil if there is none.
func (l *backgroundFetcher) next() *fetchRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.busy, l.waiting = false, nil
		return nil
	}

	w := l.waiting[0]
	l.waiting = l.waiting[1:]
	delete(l.known, w.company)
	return &w
}

func (l *backgroundFetcher) work() {
	for w := l.next(); w != nil; w = l.next() {
		select {
		case l.slots <- struct{}{}:
		case <-l.ctx.Done():
			return
		}

		l.fetch(w.ctx, w.company, func(err error) {
			if !errors.Is(err, ration.ErrBusy) {
				<-l.slots
				return
			}

			time.AfterFunc(busyPause, func() {
				<-l.slots
				l.add(w.ctx, []ro.CompanyDay{w.company})
			})
		})
	}
}
