package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// schedule is an open loop: calls that become due at a constant rate, whether
// those before have been answered or not.
type schedule struct {
	rate        int // calls a second
	duration    time.Duration
	connections int
}

// sample is what the server held at a time after the start.
type sample struct {
	usage
	after time.Duration
}

// samples is how often a run looks at what the server holds: at each tenth of
// its time.
const samples = 10

// run sends the calls of a schedule, and watches what the server holds. It ends
// early when ctx does, or when a connection fails.
func (o *oracle) run(ctx context.Context, server *server, metrics string, s schedule) ([]sample, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due := make(chan time.Time, s.rate) // a second's calls may wait
	start := time.Now()
	var wg sync.WaitGroup
	for i := range s.connections {
		wg.Go(func() {
			if err := o.talk(server, due, rand.New(rand.NewPCG(1, uint64(i))), start.Add(s.duration+2*patience)); err != nil {
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

// drive has connections make the calls of a schedule, each the next that is due,
// and gives the first error of any, after which the others stop too.
func (s schedule) drive(ctx context.Context, talk func(ctx context.Context, connection int, due <-chan time.Time) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due, start := make(chan time.Time, s.rate), time.Now() // a second's calls may wait
	var wg sync.WaitGroup
	for i := range s.connections {
		wg.Go(func() {
			if err := talk(ctx, i, due); err != nil {
				cancel(err)
			}
		})
	}
	wg.Go(func() { s.feed(ctx, start, due) })
	wg.Wait()
	return context.Cause(ctx)
}

// feed hands out the times at which calls are due, and closes due in the end.
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

// talk is one connection: it makes the next call that is due until there are no
// more.
func (o *oracle) talk(server *server, due <-chan time.Time, random *rand.Rand, until time.Time) error {
	c, err := connect(server.address, until)
	if err != nil {
		return err
	}
	defer c.Close()
	for at := range due {
		path := o.mix.pick(random)
		status, body, err := c.ask(get(server.address, path))
		if err != nil {
			return err
		}
		o.hear(path, status, body, time.Since(at))
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
