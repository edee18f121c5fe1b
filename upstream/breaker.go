package upstream

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/rodata/rodata/op"
)

// BreakerSettings determine when a registry counts as down, and for how long it is then not queried. The zero value has
// the defaults.
type BreakerSettings struct {
	// Failures is the number of consecutive failures that open the breaker. Default 5.
	Failures int
	// Window is the period over which calls are counted. The breaker also opens if there were at least Failures calls
	// and at least half of them failed. Default 1 min.
	Window time.Duration
	// OpenFor is the time before an open breaker admits one call as a probe. Each failed probe doubles it.
	// Default 20 s.
	OpenFor time.Duration
	// OpenAtMost bounds the doubled time. Default 5 min; at least OpenFor.
	OpenAtMost time.Duration
	// Deadline ends the context of a call, so that a probe that hangs cannot keep the breaker half open permanently.
	// Default 30 s.
	Deadline time.Duration
}

// BreakerState is the state of a breaker.
type BreakerState string

// The states of a breaker: closed admits calls, half-open admits one as a probe, open admits none.
const (
	BreakerClosed   BreakerState = "closed"
	BreakerHalfOpen BreakerState = "half-open"
	BreakerOpen     BreakerState = "open"
)

// Breaker stops calls to a registry that keeps failing. All calls to a registry share one. It is safe for concurrent
// use.
type Breaker struct {
	registry string
	settings BreakerSettings
	gate     *gobreaker.TwoStepCircuitBreaker[struct{}]

	mu          sync.Mutex // taken inside the gate's own lock, never around it
	notBefore   time.Time
	period      time.Duration
	lastSuccess time.Time
	hasFailed   bool
}

// NewBreaker returns a closed breaker.
func NewBreaker(registry string, s BreakerSettings) *Breaker {
	s.Failures = cmp.Or(s.Failures, 5)
	s.Window = cmp.Or(s.Window, time.Minute)
	s.OpenFor = cmp.Or(s.OpenFor, 20*time.Second)
	s.OpenAtMost = cmp.Or(s.OpenAtMost, 5*time.Minute)
	s.OpenAtMost = max(s.OpenAtMost, s.OpenFor)
	s.Deadline = cmp.Or(s.Deadline, 30*time.Second)
	b := &Breaker{registry: registry, settings: s}
	b.gate = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name:          registry,
		MaxRequests:   1,
		Interval:      s.Window,
		BucketPeriod:  s.Window / 6,
		Timeout:       s.OpenFor,
		ReadyToTrip:   b.trips,
		OnStateChange: b.onChange,
		IsSuccessful:  func(err error) bool { return isAnswer(err) || errors.Is(err, ErrRejected) },
		IsExcluded:    func(err error) bool { return errors.Is(err, context.Canceled) },
	})

	return b
}

// State returns the current state.
func (b *Breaker) State() BreakerState {
	if b.wait() > 0 {
		return BreakerOpen
	}
	return BreakerState(b.gate.State().String())
}

// LastSuccess returns the time of the registry's last answer. It is zero if there was none.
func (b *Breaker) LastSuccess() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lastSuccess
}

// HasOnlyFailed reports whether the registry has been called without ever answering.
func (b *Breaker) HasOnlyFailed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hasFailed && b.lastSuccess.IsZero()
}

// Guard puts a breaker in front of a fetch. While the breaker is open or a probe is running, the result is an
// *op.Failure of kind Closed that unwraps to ErrNotSent. Its RetryAfter is the time until the next probe, at least a
// second. op.ErrUnknown counts as a success. A panic counts as a failure, and is propagated. A call that its caller
// cancelled does not count.
func Guard[K, V any](b *Breaker, fetch func(context.Context, K) (V, error)) func(context.Context, K) (V, error) {
	return func(ctx context.Context, key K) (value V, err error) {
		done, err := b.enter()
		if err != nil {
			return value, err
		}

		err = errAborted
		defer func() { // also after a panic or runtime.Goexit: the slot is always freed
			b.note(err)
			done(err)
		}()

		ctx, cancel := context.WithTimeout(ctx, b.settings.Deadline)
		defer cancel()
		return fetch(ctx, key)
	}
}

// Retry repeats a guarded fetch once if the connection broke, after a random pause from minPause up to maxPause, which
// must be longer. If the breaker rejects the retry, the result is that of the first attempt.
func Retry[K, V any](fetch func(context.Context, K) (V, error), minPause,
	maxPause time.Duration) func(context.Context, K) (V, error) {
	return func(ctx context.Context, key K) (V, error) {
		value, err := fetch(ctx, key)
		if !errors.Is(err, ErrConnection) {
			return value, err
		}

		select {
		case <-ctx.Done():
			return value, err
		case <-time.After(minPause + rand.N(maxPause-minPause)):
		}

		again, retryErr := fetch(ctx, key)
		if errors.Is(retryErr, ErrNotSent) {
			return value, err
		}

		return again, retryErr
	}
}

var errAborted = errors.New("the call did not return")

func isAnswer(err error) bool { return err == nil || errors.Is(err, op.ErrUnknown) }

// enter requests admission. The caller must pass the outcome of the call to the returned function.
func (b *Breaker) enter() (func(error), error) {
	if err := b.Refusal(); err != nil {
		return nil, err
	}

	done, err := b.gate.Allow()
	if err != nil {
		return nil, b.refusal(b.wait()) // the breaker may have opened in the meantime
	}

	return done, nil
}

// Refusal returns the failure of calls while the breaker is open, for callers that would otherwise wait before a call.
// It returns nil if a call may be admitted.
func (b *Breaker) Refusal() error {
	if wait := b.wait(); wait > 0 {
		return b.refusal(wait)
	}
	return nil
}

func (b *Breaker) refusal(wait time.Duration) error {
	return &op.Failure{Registry: b.registry, Kind: op.Closed, RetryAfter: max(wait, time.Second), Err: ErrNotSent}
}

// wait returns the remaining time of the open period.
func (b *Breaker) wait() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Until(b.notBefore)
}

func (b *Breaker) note(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case isAnswer(err):
		b.lastSuccess = time.Now()
	case !errors.Is(err, ErrRejected) && !errors.Is(err, context.Canceled):
		b.hasFailed = true
	}
}

func (b *Breaker) trips(c gobreaker.Counts) bool {
	finished := c.TotalSuccesses + c.TotalFailures // Requests also counts calls in flight and excluded ones
	limit := uint32(b.settings.Failures)
	return c.ConsecutiveFailures >= limit || finished >= limit && 2*c.TotalFailures >= finished
}

// onChange keeps track of the open period, because the gate itself cannot lengthen it. It runs under the gate's lock
// and must not call the gate.
func (b *Breaker) onChange(_ string, from, to gobreaker.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case to == gobreaker.StateClosed:
		b.notBefore = time.Time{}
		return
	case to != gobreaker.StateOpen:
		return
	case from == gobreaker.StateHalfOpen:
		b.period = min(2*b.period, b.settings.OpenAtMost)
	default:
		b.period = b.settings.OpenFor
	}

	b.notBefore = time.Now().Add(b.period)
}
