package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"time"
)

// slower is the permitted ratio of callers' 99th percentiles with and without the mirror.
const slower = 1.10

// mirrorWindow is the length of a window, in which one 99th percentile is measured. The result is the median of all
// windows.
const mirrorWindow = 10 * time.Second

// measureMirror measures how a mirror of all operating companies, which uses the whole ration, affects callers. The
// callers request cached companies at a constant rate, first without the mirror, then with it, then without it again.
// It fails if they wait longer with the mirror.
func measureMirror(f *flag.FlagSet) func(context.Context, *testbed) error {
	firms := f.Int("firms", 200_000, "companies in the trade register; 57,000 are looked at in ten minutes")
	rate := f.Int("rate", 500, "calls a second")
	duration := f.Duration("time", 10*time.Minute, "how long the mirror looks")
	return func(ctx context.Context, s *testbed) error {
		if _, err := s.loadRegister(ctx, *firms); err != nil {
			return err
		}

		paced := s.paced("register")
		mirrored := withOption(paced, "observe {\n\t\t\tcompanies in_operation\n\t\t\tshare 100%\n\t\t}")
		fmt.Printf("%d calls a second for cached companies; the tax authority takes %s\n\n", *rate, authorityTakes)
		printHeader("", "calls", "p50", "p99", "max", "p99 of 10 s, median", "companies looked at",
			"anonymous memory after a minute at most, MiB", "at the end, MiB")
		alone := schedule{rate: *rate, duration: max(*duration/5, mirrorWindow), connections: 16}
		before, err := s.mirrorBeside(ctx, "without", paced, alone)
		if err != nil {
			return err
		}

		beside, err := s.mirrorBeside(ctx, "with", mirrored,
			schedule{rate: *rate, duration: *duration, connections: 16})
		if err != nil {
			return err
		}

		after, err := s.mirrorBeside(ctx, "without", paced, alone)
		if err != nil {
			return err
		}

		if without := (before + after) / 2; beside > time.Duration(slower*float64(without)) {
			return fmt.Errorf("99 of 100 callers typically waited up to %s beside the mirror, and %s without",
				beside, without)
		}

		return nil
	}
}

// mirrorBeside runs a schedule of calls, prints a row, and returns the typical 99th percentile.
func (s *testbed) mirrorBeside(ctx context.Context, name, app string, plan schedule) (time.Duration, error) {
	server, err := s.caddy(ctx, name, site(app, "\trodata\n"))
	if err != nil {
		return 0, err
	}
	if err := s.fill(ctx, server); err != nil {
		return 0, err
	}

	before := s.registries.ANAF.Requests()
	settled := make(chan int, 1)
	first := time.AfterFunc(min(time.Minute, plan.duration/2), func() {
		memory, _ := server.anonymous() // 0 if it cannot be read
		settled <- memory
	})
	defer first.Stop()

	var latency latencies
	if err := plan.drive(ctx, server.address, s.callCompanies(&latency)); err != nil {
		return 0, err
	}

	after, err := server.anonymous()
	if err != nil {
		return 0, err
	}

	asked := s.registries.ANAF.Requests()
	typical := latency.typical(plan.rate*int(mirrorWindow/time.Second), 0.99)
	fmt.Printf("| %s | %d |%s %s | %d | %d | %d |\n", name, len(latency.all),
		cells(latency.from(0), 10*time.Microsecond, 0.50, 0.99, 1),
		typical.Round(10*time.Microsecond), asked.Numbers-before.Numbers, <-settled>>10, after>>10)
	return typical, server.stop()
}

// callCompanies returns a caller of random companies, which records how long each answer took.
func (s *testbed) callCompanies(took *latencies) caller {
	return func(c *connection, random *rand.Rand, due time.Time) error {
		company := s.companies[random.IntN(len(s.companies))]
		_, err := c.expect(get(c.address, "/v1/companies/"+company.CUI.String()))
		took.add(time.Since(due))
		return err
	}
}
