package ration

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
)

// warden grants turns in memory to queued processes.
type warden struct {
	mu               sync.Mutex
	next, last, rest time.Time // the first free slot, the last turn, the end of a pause
	away             bool
}

// place is a process's reserved slot.
type place struct {
	*warden
	slot time.Time
}

var errAway = errors.New("the warden is away")

func (p *place) Turn(_ context.Context, pace time.Duration) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away {
		return 0, errAway
	}

	now := time.Now()
	latest := func(a, b time.Time) time.Time {
		if a.After(b) {
			return a
		}
		return b
	}
	if p.slot.IsZero() {
		p.slot = latest(now, p.next)
		p.next = p.slot.Add(pace)
	}
	if start := latest(latest(p.slot, p.rest), p.last.Add(pace)); start.After(now) {
		return start.Sub(now), nil
	}

	p.last, p.slot = now, time.Time{}
	return 0, nil
}

func (w *warden) Rest(_ context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away {
		return errAway
	}

	w.rest = time.Now().Add(d)
	return nil
}

func (w *warden) leave(away bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = away
}

const processes = 3

// together runs a test of three lookups on one register, on a fake clock.
func together(t *testing.T, r *ledger, w *warden, test func(t *testing.T, all []*Lookup)) {
	synctest.Test(t, func(t *testing.T) {
		var all []*Lookup
		for range processes {
			l := NewLookup(r.fetch, LookupOptions{Ration: &place{warden: w}, Processes: processes})
			defer l.Close()
			all = append(all, l)
		}

		test(t, all)
	})
}

// wantForLong makes each lookup request a new company every tenth of a second, and waits until all have their answers.
func wantForLong(t *testing.T, all []*Lookup, seconds int) {
	t.Helper()
	var callers sync.WaitGroup
	for n := range 10 * seconds {
		for i, l := range all {
			callers.Go(func() {
				<-time.After(time.Duration(n) * time.Second / 10)
				if _, err := l.Company(t.Context(), today(ro.CUI(1000*i+n)), cache.Demand{}); err != nil {
					t.Errorf("company %d of process %d: %v", n, i, err)
				}
			})
		}
	}

	callers.Wait()
}

func TestProcessesKeepOnePace(t *testing.T) {
	r := &ledger{latency: 300 * time.Millisecond}
	together(t, r, new(warden), func(t *testing.T, all []*Lookup) {
		wantForLong(t, all, 30)
		r.checkPace(t)
	})
}

// TestProcessesApart verifies that processes without a shared ration together make no more calls than a single process
// may, except for their first calls.
func TestProcessesApart(t *testing.T) {
	r, w := &ledger{latency: 300 * time.Millisecond}, &warden{away: true}
	together(t, r, w, func(t *testing.T, all []*Lookup) {
		start := time.Now()
		wantForLong(t, all, 60)
		most := int(time.Since(start)/time.Second) + processes
		if n := len(r.starts); n > most || n < most/2 {
			t.Errorf("%d calls in %v, want at most %d and not much fewer", n, time.Since(start), most)
		}

		w.leave(false)
		<-time.After(10 * time.Second)
		r.starts, r.batches = nil, nil
		wantForLong(t, all, 10)
		r.checkPace(t)
	})
}

// TestOpenBreakerTakesNoTurns verifies that a process with an open breaker fails at once, and leaves the turns to the
// others.
func TestOpenBreakerTakesNoTurns(t *testing.T) {
	r := &ledger{fail: func([]ro.CUI) error {
		return &op.Failure{Registry: anaf.Registry, Kind: op.Closed, RetryAfter: time.Minute, Err: upstream.ErrNotSent}
	}}
	w := new(warden)
	bubble(t, r, LookupOptions{Ration: &place{warden: w}, Processes: processes, Shut: func() bool { return true }},
		func(t *testing.T, l *Lookup) {
			start := time.Now()
			for n := range ro.CUI(10) {
				if _, err := l.Company(t.Context(), today(n), cache.Demand{}); !errors.Is(err, upstream.ErrNotSent) {
					t.Fatal(err)
				}
			}

			if took := time.Since(start); took > 0 || !w.next.IsZero() {
				t.Errorf("ten failures took %v, and the next turn is at %v", took, w.next)
			}
		})
}

// TestAllProcessesPause verifies that all processes pause when the register asks one of them to.
func TestAllProcessesPause(t *testing.T) {
	const rest = 5 * time.Second
	answered := false
	r := &ledger{latency: 100 * time.Millisecond}
	r.fail = func([]ro.CUI) error {
		if answered {
			return nil
		}

		answered = true
		return &op.Failure{Registry: anaf.Registry, Kind: op.Closed, RetryAfter: rest, Err: errors.New("slow down")}
	}
	together(t, r, new(warden), func(t *testing.T, all []*Lookup) {
		if _, err := all[0].Company(t.Context(), today(1), cache.Demand{}); err == nil {
			t.Fatal("the register gave an answer")
		}
		if _, err := all[1].Company(t.Context(), today(2), cache.Demand{}); err != nil {
			t.Fatal(err)
		}
		if gap := r.starts[1].Sub(r.starts[0]); gap < rest {
			t.Errorf("another process called after %v, want at least %v", gap, rest)
		}
	})
}
