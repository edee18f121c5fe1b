package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// schedule determines when calls are made: at a constant rate, whether or not earlier calls have been answered (an
// open loop), or as soon as the previous call has been answered (a closed loop).
type schedule struct {
	rate        int // calls a second; 0 is a closed loop
	duration    time.Duration
	connections int
}

// caller makes a call that became due at a time.
type caller func(c *connection, random *rand.Rand, due time.Time) error

// drive makes the calls of a schedule on several connections. Each connection takes the next call that is due. The
// first error stops all connections and is returned.
func (s schedule) drive(ctx context.Context, address string, call caller) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due, start := make(chan time.Time, max(1, s.rate)), time.Now() // up to a second's calls may be queued
	var wg sync.WaitGroup
	for i := range s.connections {
		wg.Go(func() {
			if err := s.loop(ctx, address, rand.New(rand.NewPCG(1, uint64(i))), start, due, call); err != nil {
				cancel(err)
			}
		})
	}

	if s.rate > 0 {
		wg.Go(func() { s.feed(ctx, start, due) })
	}

	wg.Wait()
	return context.Cause(ctx)
}

// loop is one connection.
func (s schedule) loop(ctx context.Context, address string, random *rand.Rand, start time.Time, due <-chan time.Time,
	call caller) error {
	c, err := connect(address)
	if err != nil {
		return err
	}
	defer c.close()

	if s.rate > 0 {
		for at := range due {
			if err := call(c, random, at); err != nil {
				return err
			}
		}

		return nil
	}

	for at, end := time.Now(), start.Add(s.duration); at.Before(end) && ctx.Err() == nil; at = time.Now() {
		if err := call(c, random, at); err != nil {
			return err
		}
	}

	return nil
}

// feed sends the times at which calls are due, and finally closes due. A call is due when this goroutine wakes up for
// it, up to a millisecond late, because that delay is the generator's and not the server's.
func (s schedule) feed(ctx context.Context, start time.Time, due chan<- time.Time) {
	defer close(due)
	for i := range int(s.duration.Seconds() * float64(s.rate)) {
		<-time.After(time.Until(start.Add(time.Duration(i) * time.Second / time.Duration(s.rate))))
		select {
		case <-ctx.Done():
			return
		case due <- time.Now():
		}
	}
}

// latencies are the durations of calls, on any number of connections.
type latencies struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
}

// from returns the latencies from the n-th on, sorted.
func (l *latencies) from(n int) []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(slices.Values(l.all[n:]))
}

// typical splits the calls into consecutive windows of n calls, and returns the median of the windows' percentiles. A
// hiccup of the machine thus affects one window and not the result.
func (l *latencies) typical(n int, p float64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()

	var each []time.Duration
	for window := range slices.Chunk(l.all, n) {
		if len(window) == n || len(each) == 0 {
			each = append(each, percentile(slices.Sorted(slices.Values(window)), p))
		}
	}

	slices.Sort(each)
	return percentile(each, 0.5)
}

// percentile returns a percentile of sorted latencies; p is from 0 to 1.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(p*float64(len(sorted)-1))]
}

// cells formats percentiles of sorted latencies as cells of a table. The percentile 1 is the maximum.
func cells(sorted []time.Duration, unit time.Duration, percentiles ...float64) string {
	var b strings.Builder
	for _, p := range percentiles {
		fmt.Fprintf(&b, " %s |", percentile(sorted, p).Round(unit))
	}
	return b.String()
}

// printHeader prints the head of a table in Markdown.
func printHeader(columns ...string) {
	fmt.Printf("| %s |\n%s|\n", strings.Join(columns, " | "), strings.Repeat("|---", len(columns)))
}

// target is a request to a server and its expected answer.
type target struct {
	name    string
	server  *server
	request []byte
	right   func(body []byte) bool
}

// load is the result of one round on one target.
type load struct {
	seconds  float64
	requests int
	cpu      time.Duration   // the server's own
	latency  []time.Duration // sorted
}

func (l *load) rate() float64 { return float64(l.requests) / l.seconds }

// cpuPerRequest returns the CPU time per request, in microseconds.
func (l *load) cpuPerRequest() float64 {
	return float64(l.cpu.Microseconds()) / float64(l.requests)
}

// run sends the request in a closed loop. Every answer must be correct.
func (t *target) run(ctx context.Context, s schedule) (*load, error) {
	var took latencies
	cpu, start := t.server.cpu(), time.Now()
	err := s.drive(ctx, t.server.address, func(c *connection, _ *rand.Rand, due time.Time) error {
		body, err := c.expect(t.request)
		if err == nil && !t.right(body) {
			err = fmt.Errorf("a wrong answer: %s", body)
		}

		took.add(time.Since(due))
		return err
	})

	total := &load{seconds: time.Since(start).Seconds(), cpu: t.server.cpu() - cpu, latency: took.from(0)}
	total.requests = len(total.latency)
	if err == nil && total.requests == 0 {
		err = errors.New("no request was answered")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}

	return total, nil
}

// runner is a target that can be loaded for one round.
type runner interface {
	run(context.Context, schedule) (*load, error)
}

// interleave measures all targets in each round, so that changes in the machine's speed affect all of them equally. The
// result is indexed by target and then by round.
func interleave[T runner](ctx context.Context, targets []T, rounds int, s schedule) ([][]*load, error) {
	loads := make([][]*load, len(targets))
	for range rounds {
		for i, t := range targets {
			l, err := t.run(ctx, s)
			if err != nil {
				return nil, err
			}

			loads[i] = append(loads[i], l)
		}
	}

	return loads, nil
}

// median returns the median of a figure over all items.
func median[T any](items []T, figure func(T) float64) float64 {
	figures := make([]float64, len(items))
	for i, item := range items {
		figures[i] = figure(item)
	}

	slices.Sort(figures)
	return figures[len(figures)/2]
}

// medianLatency returns the median of a percentile over all rounds.
func medianLatency(loads []*load, p float64) time.Duration {
	d := median(loads, func(l *load) float64 { return float64(percentile(l.latency, p)) })
	return time.Duration(d).Round(10 * time.Microsecond)
}

// spread is the ratios of a figure of two targets, one for each round, sorted.
type spread []float64

func (s spread) median() float64 { return s[len(s)/2] }

// String formats the median and the range as a cell of a table.
func (s spread) String() string {
	return fmt.Sprintf("**%.2f** (%.2f to %.2f)", s.median(), s[0], s[len(s)-1])
}

// ratios compares a figure of two targets.
func ratios(ours, theirs []*load, figure func(*load) float64) spread {
	all := make(spread, len(ours))
	for i := range ours {
		all[i] = figure(ours[i]) / figure(theirs[i])
	}

	slices.Sort(all)
	return all
}
