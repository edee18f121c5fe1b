package work_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/internal/work"
)

func TestBackoff(t *testing.T) {
	b := work.Backoff{time.Minute, time.Hour}
	for tries, want := range map[int]time.Duration{1: time.Minute, 2: time.Hour, 3: time.Hour, 40: time.Hour} {
		if got := b.After(tries); got != want {
			t.Errorf("after %d tries the pause is %s, want %s", tries, got, want)
		}
	}

	if b.IsExhausted(2) || !b.IsExhausted(3) {
		t.Error("two pauses allow three tries")
	}
}

// due is a queue in memory that records when its worker claims rows.
type due struct {
	mu      sync.Mutex
	at      []time.Time
	taken   []time.Duration
	failure error
}

func (d *due) worker() *work.Worker {
	began := time.Now()
	return &work.Worker{
		Name: "test", Poll: time.Minute, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		NextDue: func(context.Context) (next time.Time, err error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if len(d.at) > 0 {
				next = d.at[0]
			}

			return next, d.failure
		},
		Work: func(context.Context) (int, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.at, d.taken = d.at[1:], append(d.taken, time.Since(began))
			return 1, nil
		},
	}
}

// set sets the time of the next due row, and the error of reading it.
func (d *due) set(at time.Time, failure error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at, d.failure = []time.Time{at}, failure
}

// A worker checks the queue when a row is due, when it is woken, and every minute.
func TestWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		d := &due{at: []time.Time{began, began.Add(10 * time.Second)}}
		w, p := d.worker(), new(work.Pool)
		w.Wake() // no effect yet
		p.Start(w)
		pass(15 * time.Second)
		d.set(began, nil)
		w.Wake()
		pass(5 * time.Second)
		d.set(began, nil) // by another process
		pass(time.Minute)
		d.set(began, errors.New("the store is down"))
		pass(time.Minute)
		d.set(began, nil)
		pass(time.Minute)
		p.Close()
		want := []time.Duration{0, 10 * time.Second, 15 * time.Second, 75 * time.Second, 195 * time.Second}
		if !slices.Equal(d.taken, want) {
			t.Errorf("it worked after %v, want %v", d.taken, want)
		}
	})
}

// When the pool is closed, work in progress gets 5 seconds to finish and another 5 seconds to record its outcome.
func TestCloseGivesGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, p := time.Now(), new(work.Pool)
		var written error
		p.Repeat(func(ctx context.Context) time.Duration {
			<-ctx.Done()
			written = work.Write(ctx, func(ctx context.Context) error { return ctx.Err() })
			return time.Second
		})
		synctest.Wait()
		p.Close()
		if took := time.Since(began); took != 5*time.Second || written != nil {
			t.Errorf("closing took %s; writing: %v", took, written)
		}
	})
}

// pass advances the clock of a bubble, and waits for the work then due.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// A step is repeated after its pause, and at once after a ring, even one during the step before.
func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		bell, began := work.NewBell(), time.Now()
		var at []time.Duration
		go work.Repeat(ctx, bell, func(context.Context) time.Duration {
			if at = append(at, time.Since(began)); len(at) == 2 {
				bell.Ring()
				bell.Ring()
			}
			return time.Minute
		})
		pass(time.Minute + 10*time.Second)
		bell.Ring()
		pass(time.Minute)
		cancel()
		pass(time.Hour)
		want := []time.Duration{0, time.Minute, time.Minute, 70 * time.Second, 130 * time.Second}
		if !slices.Equal(at, want) {
			t.Errorf("it was called after %v, want %v", at, want)
		}
	})
}
