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
	// downFor is the time for which the server is not contacted after a failure.
	downFor = 5 * time.Second
	// retryEvery is the pause between reconnection attempts after that.
	retryEvery = time.Second
	// connectTimeout bounds a connection attempt, and a command whose caller has stopped waiting.
	connectTimeout = 2 * time.Second
)

// link is the connection with a circuit breaker. The first failure marks it down. Only the supervisor marks it up
// again, because only the supervisor has time to wait for a probe.
type link struct {
	options rueidis.ClientOption
	budget  time.Duration // deadline for the answer to a probe
	log     *slog.Logger
	up      atomic.Bool
	down    chan struct{}  // capacity 1; signals that up has become false
	running sync.WaitGroup // commands, including abandoned ones

	mu     sync.RWMutex
	client rueidis.Client // nil until the first successful connection
	closed bool

	failures, dropped atomic.Uint64
}

var errTimeout = errors.New("no answer within the time limit")

// result is the outcome of a command.
type result[T any] struct {
	value T
	err   error
}

// do runs a command and waits for its result until the budget or ctx ends. It fails immediately while the server is
// down.
func do[T any](ctx context.Context, l *link, budget time.Duration,
	command func(context.Context, rueidis.Client) (T, error)) (T, error) {
	var zero T
	client := l.enter()
	if client == nil {
		return zero, ErrDown
	}

	// The command runs in a separate goroutine because the client library may overrun its context: while another call
	// dials, or when its queue is full.
	done := make(chan result[T], 1)
	go func() {
		defer l.running.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
		defer cancel()
		value, err := command(ctx, client)
		done <- result[T]{value, err}
	}()

	timer := time.NewTimer(budget)
	defer timer.Stop()
	select {
	case r := <-done:
		if r.err != nil {
			l.fail(r.err)
			return zero, fmt.Errorf("querying redis: %w", r.err)
		}
		return r.value, nil
	case <-timer.C:
		l.fail(errTimeout)
		return zero, fmt.Errorf("querying redis: %w", errTimeout)
	case <-ctx.Done():
		return zero, ctx.Err()
	}
}

// call runs a script and waits for its reply of n integers, within the budget for commands.
func (f *Fleet) call(ctx context.Context, script *rueidis.Lua, keys, args []string, n int) ([]int64, error) {
	return do(ctx, f.link, f.budgets.command, func(ctx context.Context, c rueidis.Client) ([]int64, error) {
		reply := script.Exec(ctx, c, keys, args)
		if n == 0 {
			return nil, reply.Error()
		}

		answer, err := reply.AsIntSlice()
		if err == nil && len(answer) != n {
			err = errUnexpectedReply
		}

		return answer, err
	})
}

var errUnexpectedReply = errors.New("the reply is not of the script's form")

// enter registers a command and returns the client to run it on, or nil while the server is down.
func (l *link) enter() rueidis.Client {
	if !l.up.Load() {
		return nil
	}

	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return nil
	}

	l.running.Add(1)
	return l.client
}

// fail counts a failure and marks the link down.
func (l *link) fail(err error) {
	l.failures.Add(1)
	if !l.up.CompareAndSwap(true, false) {
		return
	}

	l.log.Warn("redis is down; this edge continues on its own, with its share of the limits", "error", err)
	l.down <- struct{}{} // never blocks: the supervisor received the previous signal
}

// supervise connects, and reconnects whenever the link went down, until ctx ends. It sends the outcome of the first
// attempt to tried, which has capacity 1.
func (l *link) supervise(ctx context.Context, tried chan<- error) {
	err := l.connect(ctx)
	tried <- err
	for wait := retryEvery; ; wait = retryEvery {
		if err == nil {
			l.up.Store(true)
			l.log.Info("redis is up; this edge has joined its fleet")
			select {
			case <-l.down:
				wait = downFor
			case <-ctx.Done():
				return
			}
		}

		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}

		err = l.connect(ctx)
	}
}

// connect dials if necessary, and checks that the server answers a probe within the callers' budget.
func (l *link) connect(ctx context.Context) error {
	if l.client == nil { // only the supervisor sets it
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

// close disconnects once the last command has ended. The supervisor must have returned.
func (l *link) close() {
	l.up.Store(false)
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.running.Wait()
	if l.client != nil {
		l.client.Close()
	}
}
