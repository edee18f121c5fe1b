package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// target is a request to a server and its expected answer.
type target struct {
	name    string
	server  *server
	request []byte
	right   func(body []byte) bool
}

// load is the result of one round on one target.
type load struct {
	requests int
	seconds  float64
	cpu      time.Duration // the server's own
	latency  []time.Duration
}

func (l *load) rate() float64 { return float64(l.requests) / l.seconds }

// cpuPerRequest is in microseconds.
func (l *load) cpuPerRequest() float64 {
	return float64(l.cpu.Microseconds()) / float64(l.requests)
}

// percentile returns a percentile of sorted latencies; p is from 0 to 1.
func percentile(sorted []time.Duration, p float64) time.Duration {
	return sorted[int(p*float64(len(sorted)-1))]
}

// run sends the request over keep-alive connections, each in a closed loop, for some
// time. Every answer must be correct.
func (t *target) run(connections int, duration time.Duration) (*load, error) {
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		total   load
		failure error
	)

	cpu, start := t.server.cpu(), time.Now()
	for range connections {
		wg.Go(func() {
			latency, err := t.loop(start.Add(duration))
			mu.Lock()
			defer mu.Unlock()
			total.latency = append(total.latency, latency...)
			failure = cmp.Or(failure, err) // one of them is enough
		})
	}

	wg.Wait()
	total.seconds, total.cpu = time.Since(start).Seconds(), t.server.cpu()-cpu
	total.requests = len(total.latency)
	slices.Sort(total.latency)
	if failure == nil && total.requests == 0 {
		failure = errors.New("no request was answered")
	}
	if failure != nil {
		return nil, fmt.Errorf("%s: %w", t.name, failure)
	}

	return &total, nil
}

// loop is one connection: a request, its answer, the next request.
func (t *target) loop(until time.Time) ([]time.Duration, error) {
	c, err := connect(t.server.address, until.Add(serverTimeout))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	latency := make([]time.Duration, 0, 1<<16)
	for began := time.Now(); began.Before(until); {
		status, body, err := c.ask(t.request)
		if err != nil {
			return latency, err
		}
		if status != 200 || !t.right(body) {
			return latency, fmt.Errorf("a wrong answer: %d %s", status, body)
		}

		now := time.Now()
		latency = append(latency, now.Sub(began))
		began = now
	}

	return latency, nil
}

// interleave loads all targets in turn, round by round, so that drifts of the machine's
// speed affect all alike. The result is by target, then by round.
func interleave(targets []*target, rounds, connections int, duration time.Duration) ([][]*load, error) {
	loads := make([][]*load, len(targets))
	for range rounds {
		for i, t := range targets {
			l, err := t.run(connections, duration)
			if err != nil {
				return nil, err
			}
			loads[i] = append(loads[i], l)
		}
	}

	return loads, nil
}

// median is the median of a figure over all rounds.
func median(loads []*load, figure func(*load) float64) float64 {
	figures := make([]float64, len(loads))
	for i, l := range loads {
		figures[i] = figure(l)
	}
	slices.Sort(figures)
	return figures[len(figures)/2]
}

// medianLatency is the median of a percentile over all rounds.
func medianLatency(loads []*load, p float64) time.Duration {
	d := median(loads, func(l *load) float64 { return float64(percentile(l.latency, p)) })
	return time.Duration(d).Round(10 * time.Microsecond)
}

// ratios are the ratios of a figure of two targets, by round, sorted.
func ratios(ours, theirs []*load, figure func(*load) float64) []float64 {
	all := make([]float64, len(ours))
	for i := range ours {
		all[i] = figure(ours[i]) / figure(theirs[i])
	}
	slices.Sort(all)
	return all
}
