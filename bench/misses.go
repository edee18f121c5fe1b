package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/upstream/anaf"
)

const (
	// authorityTakes is the latency of the tax authority's stand-in. Like the tax authority, the stand-in rejects a
	// call within a second of the previous one.
	authorityTakes = 400 * time.Millisecond
	// waitAtMost is the target for the 99th percentile.
	waitAtMost = 2500 * time.Millisecond
)

// measureMisses requests companies that are not cached at a constant rate, each once, with the shipped pace. It fails
// if a call was not answered, if callers waited too long, or if the tax authority was queried more often, or about more
// companies at once, than it allows.
func measureMisses(f *flag.FlagSet) func(context.Context, *testbed) error {
	rate := f.Int("rate", 90, "companies a second; the tax authority allows 100, less what the pace keeps clear")
	duration := f.Duration("time", 10*time.Minute, "how long")
	return func(ctx context.Context, s *testbed) error {
		server, err := s.caddy(ctx, "misses", site(s.paced("misses"), "\trodata\n"))
		if err != nil {
			return err
		}

		m := new(misses)
		plan := schedule{rate: *rate, duration: *duration, connections: 4 * *rate} // more than can be in use
		if err := plan.drive(ctx, server.address, m.call); err != nil {
			return err
		}

		asked := s.registries.ANAF.Requests()
		m.report(plan, asked)
		return m.verdict(plan, asked)
	}
}

// misses collects the outcomes.
type misses struct {
	next    atomic.Int64 // the next company
	latency latencies

	mu      sync.Mutex
	refused int // answers with a status other than 404: none of the companies exists
	example string
}

// firstNumber avoids the companies that the stand-in knows.
const firstNumber = 1_000_000

// company returns the next unused number. No register has issued numbers that begin with 99.
func (m *misses) company() ro.CUI {
	return invented.CUI(firstNumber + int(m.next.Add(1)))
}

// call requests a company.
func (m *misses) call(c *connection, _ *rand.Rand, due time.Time) error {
	cui := m.company()
	status, body, err := c.ask(get(c.address, "/v1/companies/"+cui.String()))
	if err == nil {
		m.record(cui, status, body, time.Since(due))
	}

	return err
}

func (m *misses) record(cui ro.CUI, status int, body []byte, latency time.Duration) {
	m.latency.add(latency)
	m.mu.Lock()
	defer m.mu.Unlock()
	if status == 404 {
		return
	}

	m.refused++
	if m.example == "" {
		m.example = fmt.Sprintf("%s: answered %d %s", cui, status, body)
	}
}

func (m *misses) report(plan schedule, asked standin.Counts) {
	fmt.Printf("%d new companies a second for %s; the tax authority takes %s\n\n", plan.rate, plan.duration,
		authorityTakes)
	printHeader("companies", "not answered", "p50", "p99", "max", "requests to the authority", "a second",
		"companies in one, most")
	fmt.Printf("| %d | **%d** |%s %d | **%.2f** | **%d** |\n", len(m.latency.all), m.refused,
		cells(m.latency.from(0), 10*time.Millisecond, 0.50, 0.99, 1),
		asked.Requests, float64(asked.Requests)/plan.duration.Seconds(), asked.LargestBatch)
}

func (m *misses) verdict(plan schedule, asked standin.Counts) error {
	switch p99, most := percentile(m.latency.from(0), 0.99), int(plan.duration.Seconds())+3; {
	case m.refused > 0:
		return fmt.Errorf("%d calls were not answered; the first: %s", m.refused, m.example)
	case p99 > waitAtMost:
		return fmt.Errorf("99 of 100 callers waited up to %s, more than %s", p99, waitAtMost)
	case asked.Requests > most || asked.LargestBatch > anaf.MaxBatch:
		return fmt.Errorf("the tax authority got %d requests in %s, of up to %d companies", asked.Requests,
			plan.duration, asked.LargestBatch)
	}

	return nil
}
