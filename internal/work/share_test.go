package work

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestShareSpacesTheCallsOfAllInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShare(0.5, time.Second, func() bool { return true })
		began := time.Now()
		var waiting sync.WaitGroup
		for _, c := range []struct {
			calls int
			after time.Duration
		}{{1, 0}, {3, 2 * time.Second}, {1, 8 * time.Second}, {1, 10 * time.Second}} {
			waiting.Go(func() {
				ready, err := s.Turn(t.Context(), c.calls)
				if after := time.Since(began); !ready || err != nil || after != c.after {
					t.Errorf("%d calls: %t, %v after %s, want a turn after %s", c.calls, ready, err, after, c.after)
				}
			})
			synctest.Wait()
		}

		waiting.Wait()
		<-time.After(time.Hour) // turns that nobody took are lost
		for _, after := range []time.Duration{0, 2 * time.Second} {
			began := time.Now()
			if s.Turn(t.Context(), 1); time.Since(began) != after {
				t.Errorf("waited %s, want %s", time.Since(began), after)
			}
		}
	})
}

func TestShareTakesBackTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShare(0.5, time.Second, func() bool { return true })
		began := time.Now()
		s.Turn(t.Context(), 3)
		s.Return(3)
		s.Turn(t.Context(), 1)
		if s.Turn(t.Context(), 1); time.Since(began) != 2*time.Second {
			t.Errorf("the third turn came after %s", time.Since(began))
		}
	})
}

func TestShareGrantsNoTurnWhileTheRegistryRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Bool
		s := NewShare(1, time.Second, open.Load)
		began := time.Now()
		if ready, err := s.Turn(t.Context(), 1); ready || err != nil || time.Since(began) != 0 {
			t.Errorf("%t, %v after %s, want an answer at once", ready, err, time.Since(began))
		}

		open.Store(true)
		if ready, err := s.Turn(t.Context(), 1); !ready || err != nil {
			t.Errorf("%t, %v", ready, err)
		}

		time.AfterFunc(time.Second/2, func() { open.Store(false) })
		if ready, err := s.Turn(t.Context(), 1); ready || err != nil || time.Since(began) != time.Second {
			t.Errorf("%t, %v after %s, want false when the turn has come", ready, err, time.Since(began))
		}
	})
}

func TestShareEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShare(1, time.Hour, func() bool { return true })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s.Turn(ctx, 1)
		if ready, err := s.Turn(ctx, 1); ready || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%t, %v", ready, err)
		}
	})
}
