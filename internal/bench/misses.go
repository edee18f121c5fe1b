package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/upstreamtest"
)

const (
	// authorityTakes is the latency of the tax authority's stand-in, which rejects
	// calls within a second of the previous one, as the real one does.
	authorityTakes = 400 * time.Millisecond
	// waitAtMost is the target for the 99th percentile.
	waitAtMost = 2500 * time.Millisecond
)

// measureMisses requests companies that are not cached at a constant rate, each once,
// with the shipped pace. It fails when a call was not answered, when callers waited too
// long, and when the tax authority was asked more often, or about more companies at once,
// than it allows.
func measureMisses(ctx context.Context, args []string) (err error) {
	f := flags("misses")
	rate := f.Int("rate", 90, "companies a second; the tax authority allows 100, less what the pace keeps clear")
	duration := f.Duration("time", 10*time.Minute, "how long")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *rate < 1 || *duration <= 0 {
		return errors.New("-rate and -time must be positive")
	}

	s, err := newTestbedWith(ctx, upstreamtest.Options{Strict: true, Latency: authorityTakes})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	server, err := s.caddy(ctx, "misses", site(s.pacedApp("misses"), "\trodata\n"))
	if err != nil {
		return err
	}

	m := new(misses)
	plan := schedule{rate: *rate, duration: *duration, connections: 4 * *rate} // more than can be in use
	if err := plan.drive(ctx, func(_ context.Context, _ int, due <-chan time.Time) error {
		return m.callLoop(server, due, time.Now().Add(plan.duration+2*serverTimeout))
	}); err != nil {
		return err
	}

	asked := s.registries.ANAF.Requests()
	m.report(plan, asked)
	return m.verdict(plan, asked)
}

// misses collects the outcomes.
type misses struct {
	next atomic.Int64 // the next company

	mu      sync.Mutex
	latency []time.Duration
	refused int // answers with another status than 404: none of the companies exists
	example string
}

// firstNumber avoids the companies that the stand-in knows.
const firstNumber = 1_000_000

// company returns the next unused number. No register has issued numbers that begin with
// 99.
func (m *misses) company() api.CUI {
	n := m.next.Add(1)
	for digit := range 10 {
		var cui api.CUI
		if cui.UnmarshalText(fmt.Appendf(nil, "99%07d%d", firstNumber+n, digit)) == nil {
			return cui
		}
	}

	panic(fmt.Sprintf("99%07d has no control digit", firstNumber+n)) // every number has one
}

// callLoop makes the calls of one connection.
func (m *misses) callLoop(server *server, due <-chan time.Time, until time.Time) error {
	c, err := connect(server.address, until)
	if err != nil {
		return err
	}
	defer c.Close()
	for at := range due {
		cui := m.company()
		status, body, err := c.ask(get(server.address, "/v1/companies/"+cui.String()))
		if err != nil {
			return err
		}
		m.record(cui, status, body, time.Since(at))
	}

	return nil
}

func (m *misses) record(cui api.CUI, status int, body []byte, latency time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latency = append(m.latency, latency)
	if status == 404 {
		return
	}

	m.refused++
	if m.example == "" {
		m.example = fmt.Sprintf("%s: answered %d %s", cui, status, body)
	}
}

func (m *misses) report(plan schedule, asked upstreamtest.Counts) {
	slices.Sort(m.latency)
	at := func(p float64) time.Duration { return percentile(m.latency, p).Round(10 * time.Millisecond) }
	fmt.Printf("%d new companies a second for %s; the tax authority takes %s\n\n", plan.rate, plan.duration, authorityTakes)
	fmt.Println("| companies | not answered | p50 | p99 | max | requests to the authority | a second | companies in one, most |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	fmt.Printf("| %d | **%d** | %s | **%s** | %s | %d | **%.2f** | **%d** |\n", len(m.latency), m.refused, at(0.50), at(0.99), at(1),
		asked.Requests, float64(asked.Requests)/plan.duration.Seconds(), asked.LargestBatch)
}

func (m *misses) verdict(plan schedule, asked upstreamtest.Counts) error {
	switch p99, most := percentile(m.latency, 0.99), int(plan.duration.Seconds())+3; {
	case m.refused > 0:
		return fmt.Errorf("%d calls were not answered; the first: %s", m.refused, m.example)
	case p99 > waitAtMost:
		return fmt.Errorf("99 of 100 callers waited up to %s, more than %s", p99, waitAtMost)
	case asked.Requests > most || asked.LargestBatch > anaf.MaxBatch:
		return fmt.Errorf("the tax authority got %d requests in %s, of up to %d companies", asked.Requests, plan.duration, asked.LargestBatch)
	}
	return nil
}
