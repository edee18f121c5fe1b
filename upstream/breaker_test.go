package upstream

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/op"
)

var errDown = &op.Failure{Registry: "bnr", Kind: op.Broken, Err: errors.New("down")}

// guarded is a breaker in front of a fetch. The test chooses the outcome of the fetch.
type guarded struct {
	*Breaker
	outcome error
	asked   int
	fetch   func(context.Context, int) (int, error)
}

func guard(s BreakerSettings) *guarded {
	g := &guarded{Breaker: NewBreaker("bnr", s)}
	g.fetch = Guard(g.Breaker, func(context.Context, int) (int, error) {
		g.asked++
		return 42, g.outcome
	})
	return g
}

func (g *guarded) ask(times int, outcome error) (err error) {
	g.outcome = outcome
	for range times {
		_, err = g.fetch(context.Background(), 1)
	}
	return err
}

// pass advances the fake clock.
func pass(d time.Duration) { <-time.After(d) }

func (g *guarded) wantState(t *testing.T, want BreakerState) {
	t.Helper()
	if got := g.State(); got != want {
		t.Fatalf("the breaker is %s, want %s", got, want)
	}
}

func TestBreakerOpensAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(BreakerSettings{})
		g.ask(4, errDown)
		g.wantState(t, BreakerClosed)
		g.ask(1, errDown)
		g.wantState(t, BreakerOpen)

		pass(5 * time.Second)
		err := g.ask(3, nil)
		var f *op.Failure
		if !errors.As(err, &f) || f.Kind != op.Closed || f.Registry != "bnr" || !errors.Is(err, ErrNotSent) {
			t.Fatalf("an open breaker answers %v", err)
		}
		if f.RetryAfter != 15*time.Second {
			t.Errorf("retry after %s, want the remaining part of 20 s", f.RetryAfter)
		}
		if g.asked != 5 {
			t.Errorf("the registry was asked %d times", g.asked)
		}

		pass(15*time.Second + 1)
		g.wantState(t, BreakerHalfOpen)
		if err := g.ask(1, nil); err != nil {
			t.Errorf("the probe failed: %v", err)
		}

		g.wantState(t, BreakerClosed)
		if got := g.LastSuccess(); !got.Equal(time.Now()) {
			t.Errorf("last success %s", got)
		}
	})
}

func TestBreakerWaitsLongerAfterEachFailedProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(BreakerSettings{})
		g.ask(5, errDown)
		for _, period := range []time.Duration{20, 40, 80, 160, 300, 300} {
			pass(period*time.Second - 1)
			g.wantState(t, BreakerOpen)
			pass(2)
			g.wantState(t, BreakerHalfOpen)
			g.ask(1, errDown)
		}

		pass(301 * time.Second)
		g.ask(1, nil)
		g.ask(5, errDown)
		pass(20*time.Second + 1)
		g.wantState(t, BreakerHalfOpen) // the doubling starts over
	})
}

// TestBreakerThatStaysOpenLonger verifies that a period longer than the limit of the doubling stays unchanged, and that
// Retry-After reflects its full length.
func TestBreakerThatStaysOpenLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(BreakerSettings{OpenFor: 10 * time.Minute})
		g.ask(5, errDown)
		for range 3 {
			pass(6 * time.Minute)
			f := new(op.Failure)
			if err := g.ask(1, nil); !errors.As(err, &f) || f.RetryAfter != 4*time.Minute {
				t.Errorf("after 6 of 10 minutes: %v, retry after %s", err, f.RetryAfter)
			}

			pass(4*time.Minute + 1)
			g.wantState(t, BreakerHalfOpen)
			g.ask(1, errDown)
		}
	})
}

func TestBreakerOpensAtHalf(t *testing.T) {
	g := guard(BreakerSettings{})
	for range 2 {
		g.ask(1, nil)
		g.ask(1, errDown)
	}

	g.wantState(t, BreakerClosed)
	g.ask(1, errDown)
	g.wantState(t, BreakerOpen)
}

func TestBreakerForgetsOldFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(BreakerSettings{})
		g.ask(4, errDown)
		g.ask(1, nil)
		pass(2 * time.Minute)
		g.ask(1, errDown)
		g.wantState(t, BreakerClosed)
	})
}

func TestBreakerCountsOnlyTheRegistrysFailures(t *testing.T) {
	for _, c := range []struct {
		name    string
		outcome error
	}{
		{"an answer", nil},
		{"an answer that it does not know", op.ErrUnknown},
		{"cancelled by the caller", &op.Failure{Kind: op.Broken, Err: context.Canceled}},
		{"our own bad request", &op.Failure{Kind: op.Broken, Err: ErrRejected}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := guard(BreakerSettings{})
			g.ask(100, c.outcome)
			g.wantState(t, BreakerClosed)
		})
	}
}

func TestBreakerLetsOneProbeThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBreaker("bnr", BreakerSettings{})
		probes := 0
		probe := Guard(b, func(ctx context.Context, key int) (int, error) {
			probes++
			<-ctx.Done() // hangs until its deadline
			return 0, &op.Failure{Kind: op.TimedOut, Err: ctx.Err()}
		})
		fail := Guard(b, func(context.Context, int) (int, error) { return 0, errDown })
		for range 5 {
			fail(t.Context(), 1)
		}

		pass(20*time.Second + 1)
		go probe(t.Context(), 1)
		synctest.Wait()
		var f *op.Failure
		if _, err := probe(t.Context(), 2); !errors.As(err, &f) || f.Kind != op.Closed || f.RetryAfter != time.Second {
			t.Errorf("beside a running probe: %v", err)
		}
		if probes != 1 {
			t.Errorf("%d probes", probes)
		}

		pass(30 * time.Second)
		synctest.Wait()
		if got := b.State(); got != BreakerOpen {
			t.Errorf("after the probe hung the breaker is %s", got)
		}
	})
}

func TestBreakerCancelledProbeFreesItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(BreakerSettings{})
		g.ask(5, errDown)
		pass(20*time.Second + 1)
		g.ask(3, context.Canceled)
		g.wantState(t, BreakerHalfOpen)
		g.ask(1, nil)
		g.wantState(t, BreakerClosed)
	})
}

func TestBreakerSurvivesPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBreaker("bnr", BreakerSettings{})
		explode := Guard(b, func(context.Context, int) (int, error) { panic("boom") })
		for range 5 {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic was swallowed")
					}
				}()
				explode(t.Context(), 1)
			}()
		}

		if got := b.State(); got != BreakerOpen {
			t.Errorf("after five panics the breaker is %s", got)
		}
	})
}
