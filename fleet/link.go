package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

const (
	// awayFor is how long the server is left alone after a failure.
	awayFor = 5 * time.Second
	// tryEvery is the time between two tries to reach it after that.
	tryEvery = time.Second
	// connectTimeout bounds one try, and a question that nobody waits for any more.
	connectTimeout = 2 * time.Second
)

// link is the connection, and whether it is of use: the first failure takes it
// out of use, and only its keeper, which has the time, takes it into use again.
type link struct {
	options rueidis.ClientOption
	budget  time.Duration // within which it must answer to be of use
	log     *slog.Logger
	up      atomic.Bool
	down    chan struct{}  // of capacity 1: up has become false
	asking  sync.WaitGroup // questions, also those that nobody waits for any more

	mu     sync.RWMutex
	client rueidis.Client // nil until it was reached for the first time
	closed bool

	failures, dropped atomic.Uint64
}

func newLink(options rueidis.ClientOption, budget time.Duration, log *slog.Logger) *link {
	return &link{options: options, budget: budget, log: log, down: make(chan struct{}, 1)}
}

var errSlow = errors.New("it did not answer in time")

// answer is what came of a question.
type answer[T any] struct {
	value T
	err   error
}

// ask asks the server and waits for the answer no longer than the budget, nor
// than ctx. It fails at once while the server is away.
func ask[T any](ctx context.Context, l *link, budget time.Duration, question func(context.Context, rueidis.Client) (T, error)) (T, error) {
	var none T
	client := l.enter()
	if client == nil {
		return none, ErrAway
	}
	// The question is asked aside, as the library may take longer than its context
	// lasts: while another call dials, or when its queue is full.
	answered := make(chan answer[T], 1)
	go func() {
		defer l.asking.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
		defer cancel()
		value, err := question(ctx, client)
		answered <- answer[T]{value, err}
	}()
	timer := time.NewTimer(budget)
	defer timer.Stop()
	select {
	case a := <-answered:
		if a.err != nil {
			l.fail(a.err)
			return none, fmt.Errorf("asking redis: %w", a.err)
		}
		return a.value, nil
	case <-timer.C:
		l.fail(errSlow)
		return none, fmt.Errorf("asking redis: %w", errSlow)
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// enter counts a question in and gives the client for it, nil when there is none
// of use.
func (l *link) enter() rueidis.Client {
	if !l.up.Load() {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return nil
	}
	l.asking.Add(1)
	return l.client
}

// fail takes the link out of use.
func (l *link) fail(err error) {
	l.failures.Add(1)
	if !l.up.CompareAndSwap(true, false) {
		return
	}
	l.log.Warn("redis does not answer; this edge goes on alone, with its share of the limits", "error", err)
	l.down <- struct{}{} // the keeper has taken the one before
}

// keep reaches the server, and again whenever the link went out of use, until
// ctx ends. It closes tried after the first try.
func (l *link) keep(ctx context.Context, tried chan<- struct{}) {
	err := l.reach(ctx)
	if err != nil {
		l.log.Warn("redis cannot be reached; this edge begins alone, with its share of the limits, and goes on trying", "error", err)
	}
	close(tried)
	for wait := tryEvery; ; wait = tryEvery {
		if err == nil {
			l.up.Store(true)
			l.log.Info("redis answers; this edge is one of its fleet")
			select {
			case <-l.down:
				wait = awayFor
			case <-ctx.Done():
				return
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		err = l.reach(ctx)
	}
}

// reach connects if need be, and makes sure that the server answers as quickly
// as callers want it to.
func (l *link) reach(ctx context.Context) error {
	if l.client == nil { // only the keeper sets it
		client, err := rueidis.NewClient(l.options)
		if err != nil {
			return err
		}
		l.mu.Lock()
		l.client = client
		l.mu.Unlock()
	}
	if err := l.ping(ctx, connectTimeout); err != nil {
		return err
	}
	return l.ping(ctx, l.budget)
}

func (l *link) ping(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return l.client.Do(ctx, l.client.B().Ping().Build()).Error()
}

// close ends the connection when the last question has ended; the keeper has.
func (l *link) close() {
	l.up.Store(false)
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.asking.Wait()
	if l.client != nil {
		l.client.Close()
	}
}
