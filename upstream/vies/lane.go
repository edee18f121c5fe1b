package vies

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

const (
	// maxConcurrent bounds the concurrent questions to one state. The state's own limit is shared by all users of VIES
	// and not published.
	maxConcurrent = 2
	// maxQueued bounds the waiting questions to one state, including those between two attempts. maxQueuedByCaller
	// bounds one caller's, to two batches.
	maxQueued         = 2000
	maxQueuedByCaller = 200
	// turnPatience bounds the wait for a question's first turn. Its caller has usually left by then. If each answer
	// takes six seconds, a caller's share of the queue takes this long.
	turnPatience = 10 * time.Minute
	// firstPause and lastPause bound the exponential backoff of a question between its attempts, and of a busy lane.
	firstPause = time.Second
	lastPause  = 8 * time.Second
	// patience bounds the time for the attempts of a question, from the first one on, and the wait of a caller.
	patience = 25 * time.Second
)

// Connections is the number of connections that all lanes need together. It is large enough that a hanging state does
// not delay others.
const Connections = 64

// lane queues the questions to one member state.
type lane struct {
	state   ro.MemberState
	all     *Lanes
	turns   turns
	breaker *upstream.Breaker
	ask     func(context.Context, Question) (outcome, error)

	mu       sync.Mutex
	queued   int
	queuedBy map[metering.BucketID]int
	asked    time.Time // when a question last ended
	trouble  error     // the last failure that the breaker counted
}

// outcome is the outcome of one attempt. To the breaker, busy counts as an answer.
type outcome struct {
	Result
	busy error
}

func newLane(state ro.MemberState, all *Lanes, o Options) *lane {
	l := &lane{state: state, all: all, breaker: upstream.NewBreaker(Name, o.Breaker),
		queuedBy: map[metering.BucketID]int{}}
	l.ask = upstream.Guard(l.breaker, func(ctx context.Context, q Question) (outcome, error) {
		v, err := o.Client.Check(ctx, q)
		if isBusy(err) {
			return outcome{busy: err}, nil
		}
		return outcome{Result: v}, err
	})
	return l
}

// check requests the validity of a number, and retries while that may help. The error is an *op.Failure, one of the
// refusals, or cache.ErrPutOff if the callers have left. A request releases its slot between attempts, so that numbers
// without an attempt go first.
func (l *lane) check(ctx context.Context, q Question, d cache.Demand) (Result, error) {
	if err := l.breaker.Refusal(); err != nil { // the lane may pause longer than the caller wants to wait
		return Result{}, l.withBreakerCause(err)
	}

	caller := op.CallerOf(ctx)
	turn := caller.Bucket()
	if !l.enter(turn) {
		return Result{}, &op.Failure{Registry: Name, Part: l.state.Name(), Kind: op.Closed, RetryAfter: busyPause,
			Err: errFull}
	}
	defer l.leave(turn)

	if err := l.take(ctx, turn, d); err != nil {
		return Result{}, err
	}

	retryCtx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := firstPause; ; pause *= 2 {
		v, err := l.attempt(ctx, q) // an attempt on the wire has the client's own timeout
		if err == nil || !mayHelp(err) || pause > lastPause || !sleep(retryCtx, pause, d) {
			return v, err
		}
		if l.turns.take(retryCtx, turn, d.Abandoned()) != nil {
			return v, err
		}
	}
}

// enter takes a place in the queue. It reports false if the queue is full or the caller has used its share.
func (l *lane) enter(caller metering.BucketID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queued >= maxQueued || l.queuedBy[caller] >= maxQueuedByCaller {
		return false
	}

	l.queued++
	l.queuedBy[caller]++
	return true
}

func (l *lane) leave(caller metering.BucketID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queued--
	if l.queuedBy[caller]--; l.queuedBy[caller] == 0 {
		delete(l.queuedBy, caller)
	}
}

// take waits for the slot of the first attempt.
func (l *lane) take(ctx context.Context, caller metering.BucketID, d cache.Demand) error {
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	err := l.turns.take(ctx, caller, d.Abandoned())
	if err == nil || errors.Is(err, cache.ErrPutOff) {
		return err
	}

	return l.lateFailure(fmt.Errorf("no slot became free in time: %w", err))
}

// lateFailure returns the failure of a question that was not answered in time. If the lane pauses, it is the failure
// that caused the pause.
func (l *lane) lateFailure(err error) error {
	if why := l.turns.pausedBy(); why != nil {
		err = fmt.Errorf("%w: %w", err, why)
	}
	return &op.Failure{Registry: Name, Part: l.state.Name(), Kind: op.TimedOut, RetryAfter: busyPause, Err: err}
}

// attempt queries the state once, and gives the slot back.
func (l *lane) attempt(ctx context.Context, q Question) (Result, error) {
	defer l.turns.give()
	if err := l.all.blockedReason(); err != nil {
		return Result{}, err
	}

	got, err := l.ask(ctx, q)
	if got.busy != nil {
		err = got.busy
	}
	if errors.Is(err, upstream.ErrNotSent) {
		return got.Result, l.withBreakerCause(err)
	}

	l.note(err)
	return got.Result, err
}

// withBreakerCause adds to a breaker's error the state and the failure that opened the breaker, because the breaker
// knows neither.
func (l *lane) withBreakerCause(err error) error {
	f, ok := errors.AsType[*op.Failure](ofState(l.state, err))
	if !ok {
		return err
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trouble != nil {
		f.Err = &breakerCause{f.Err, l.trouble}
	}

	return f
}

// note updates the lane after a question. A refused number counts as answered.
func (l *lane) note(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}

	l.mu.Lock()
	l.asked = time.Now()
	if err != nil && !isBusy(err) && !errors.Is(err, upstream.ErrRejected) {
		l.trouble = err
	}
	l.mu.Unlock()

	c, ok := errors.AsType[*cause](err)
	switch {
	case ok && c.everywhere:
		l.all.backOff(c, err)
	case isBusy(err):
		l.turns.backOff(err)
	default:
		l.turns.resetPause()
	}
}

// queriedWithin reports whether a question ended within the last d.
func (l *lane) queriedWithin(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.asked) < d
}

// sleep waits for about a pause. It reports false if there is no time for another attempt, or the callers have left.
func sleep(ctx context.Context, pause time.Duration, d cache.Demand) bool {
	timer := time.NewTimer(jitter(pause))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-d.Abandoned():
	case <-ctx.Done():
	}

	return false
}

// errFull is the failure of a question for which the queue has no place.
var errFull = errors.New("too many questions are already waiting")
