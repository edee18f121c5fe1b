package mirror

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/ro"
)

// notes counts how often each company is stored.
type notes struct {
	mu    sync.Mutex
	times map[ro.CUI]int
}

func (n *notes) NoteSeen(_ context.Context, companies []ro.CUI, _ ro.Date) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range companies {
		n.times[c]++
	}

	return nil
}

func TestCompaniesThatAreAskedForAreNotedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notes{times: map[ro.CUI]int{}}
		a := NewRequests(n, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { a.Run(ctx) })
		for range 3 * 24 * 60 {
			a.Note(1)
			<-time.After(time.Minute)
		}

		a.Note(2)
		cancel()
		running.Wait()
		// Three days span four dates, and a company requested during a write may be stored again.
		if n.times[1] < 3 || n.times[1] > 8 || n.times[2] != 1 {
			t.Errorf("written %v times", n.times)
		}
	})
}
