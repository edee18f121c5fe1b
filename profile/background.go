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
// companies that it found stale. Lists take turns.
type backgroundFetcher struct {
	fetch   func(ctx context.Context, company ro.CompanyDay, done func(error))
	ctx     context.Context // ends on close
	close   context.CancelFunc
	working sync.WaitGroup
	slots   chan struct{}

	mu      sync.Mutex
	waiting map[ro.CompanyDay]bool
}

func newBackgroundFetcher(fetch func(context.Context, ro.CompanyDay, func(error))) *backgroundFetcher {
	l := &backgroundFetcher{fetch: fetch, slots: make(chan struct{}, maxFetched), waiting: map[ro.CompanyDay]bool{}}
	l.ctx, l.close = context.WithCancel(context.Background())
	return l
}

// end drops the waiting companies, and waits for the goroutines.
func (l *backgroundFetcher) end() {
	l.close()
	l.working.Wait()
}

// add fetches the companies of a list in their order, as long as there is room for them to wait. They are fetched on
// behalf of the caller in ctx, even if ctx ends earlier.
func (l *backgroundFetcher) add(ctx context.Context, companies []ro.CompanyDay) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var added []ro.CompanyDay
	for _, company := range companies {
		if len(l.waiting) < maxBackground && !l.waiting[company] {
			l.waiting[company] = true
			added = append(added, company)
		}
	}

	if len(added) > 0 && l.ctx.Err() == nil {
		l.working.Go(func() { l.work(context.WithoutCancel(ctx), added) })
	}
}

// work fetches companies, each as soon as there is a slot.
func (l *backgroundFetcher) work(ctx context.Context, companies []ro.CompanyDay) {
	for _, company := range companies {
		select {
		case l.slots <- struct{}{}:
		case <-l.ctx.Done():
			return
		}

		l.mu.Lock()
		delete(l.waiting, company)
		l.mu.Unlock()
		l.start(ctx, company)
	}
}

// start fetches a company in a slot. If the lookup's queue is full, the company waits once more.
func (l *backgroundFetcher) start(ctx context.Context, company ro.CompanyDay) {
	l.fetch(ctx, company, func(err error) {
		if !errors.Is(err, ration.ErrBusy) {
			<-l.slots
			return
		}

		time.AfterFunc(busyPause, func() {
			<-l.slots
			l.add(ctx, []ro.CompanyDay{company})
		})
	})
}
