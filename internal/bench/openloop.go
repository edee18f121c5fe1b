package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// schedule is an open loop: calls become due at a constant rate, whether earlier ones
// have been answered or not.
type schedule struct {
	rate        int // calls a second
	duration    time.Duration
	connections int
}

// sample is the server's resource usage at a time after the start.
type sample struct {
	usage
	after time.Duration
}

// samples is how many samples a run takes: one after each tenth of its time.
const samples = 10

// run makes the calls of a schedule, and samples the server's resource usage. It ends
// early when ctx does, or when a connection fails.
func (o *checker) run(ctx context.Context, server *server, metrics string, s schedule) ([]sample, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due := make(chan time.Time, s.rate) // up to a second's calls may wait
	start := time.Now()
	var wg sync.WaitGroup
	for i := range s.connections {
		wg.Go(func() {
			if err := o.callLoop(server, due, rand.New(rand.NewPCG(1, uint64(i))), start.Add(s.duration+2*serverTimeout)); err != nil {
				cancel(err)
			}
		})
	}

	wg.Go(func() { s.feed(ctx, start, due) })
	watched, err := s.watch(ctx, start, func() (usage, error) { return server.usage(metrics) })
	if err != nil {
		cancel(err)
	}

	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return watched, nil
}

// drive has connections make the calls of a schedule, each the next one due, and returns
// the first error, which stops the others.
func (s schedule) drive(ctx context.Context, callLoop func(ctx context.Context, connection int, due <-chan time.Time) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due, start := make(chan time.Time, s.rate), time.Now() // up to a second's calls may wait
	var wg sync.WaitGroup
	for i := range s.connections {
		wg.Go(func() {
			if err := callLoop(ctx, i, due); err != nil {
				cancel(err)
			}
		})
	}

	wg.Go(func() { s.feed(ctx, start, due) })
	wg.Wait()
	return context.Cause(ctx)
}

// feed sends the times at which calls are due, and closes due in the end.
func (s schedule) feed(ctx context.Context, start time.Time, due chan<- time.Time) {
	defer close(due)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for i := range int(s.duration.Seconds() * float64(s.rate)) {
		at := start.Add(time.Duration(i) * time.Second / time.Duration(s.rate))
		for time.Until(at) > 0 {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}

		select {
		case <-ctx.Done():
			return
		case due <- at:
		}
	}
}

// callLoop is one connection, which makes the next call that is due until there are no
// more.
func (o *checker) callLoop(server *server, due <-chan time.Time, random *rand.Rand, until time.Time) error {
	c, err := connect(server.address, until)
	if err != nil {
		return err
	}
	defer c.Close()
	for at := range due {
		path := o.workload.pick(random)
		status, body, err := c.ask(get(server.address, path))
		if err != nil {
			return err
		}
		o.record(path, status, body, time.Since(at))
	}

	return nil
}

// watch takes the samples, the first one after a tenth of the time.
func (s schedule) watch(ctx context.Context, start time.Time, look func() (usage, error)) (watched []sample, err error) {
	tick := time.NewTicker(s.duration / samples)
	defer tick.Stop()
	for range samples - 1 {
		select {
		case <-ctx.Done():
			return watched, context.Cause(ctx)
		case <-tick.C:
		}

		u, err := look()
		if err != nil {
			return watched, err
		}

		watched = append(watched, sample{u, time.Since(start)})
	}

	return watched, nil
}
