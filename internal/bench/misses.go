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
	// authorityTakes is how long the stand-in of the tax authority takes. It
	// refuses calls that come within a second, as the real one does.
	authorityTakes = 400 * time.Millisecond
	// waitAtMost is within what 99 of 100 callers are to have their answer.
	waitAtMost = 2500 * time.Millisecond
)

// measureMisses asks at a constant rate for companies that nobody asked for
// before, each once, with the pace that is shipped. It fails when a call was not
// answered, when callers waited too long, and when the tax authority was asked
// more often, or about more companies at once, than it allows.
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
	s, err := newStageWith(ctx, upstreamtest.Options{Strict: true, Latency: authorityTakes})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	server, err := s.caddy(ctx, "misses", site(s.pacedApp("misses"), "\trodata\n"))
	if err != nil {
		return err
	}
	m := new(misses)
	plan := schedule{rate: *rate, duration: *duration, connections: 4 * *rate} // more than are open at once
	if err := plan.drive(ctx, func(_ context.Context, _ int, due <-chan time.Time) error {
		return m.talk(server, due, time.Now().Add(plan.duration+2*patience))
	}); err != nil {
		return err
	}
	asked := s.registries.ANAF.Requests()
	m.report(plan, asked)
	return m.verdict(plan, asked)
}

// misses is what came of the calls.
type misses struct {
	next atomic.Int64 // the company that is asked for next

	mu      sync.Mutex
	latency []time.Duration
	refused int // answers with another status than 404: none of the companies exists
	example string
}

// fewest keeps clear of the companies that the stand-in knows.
const fewest = 1_000_000

// company is the next number that nobody has asked for. No register has given out
// any that begins with 99.
func (m *misses) company() api.CUI {
	n := m.next.Add(1)
	for digit := range 10 {
		var cui api.CUI
		if cui.UnmarshalText(fmt.Appendf(nil, "99%07d%d", fewest+n, digit)) == nil {
			return cui
		}
	}
	panic(fmt.Sprintf("99%07d has no control digit", fewest+n)) // every number has one
}

// talk is one connection.
func (m *misses) talk(server *server, due <-chan time.Time, until time.Time) error {
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
		m.hear(cui, status, body, time.Since(at))
	}
	return nil
}

func (m *misses) hear(cui api.CUI, status int, body []byte, latency time.Duration) {
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
