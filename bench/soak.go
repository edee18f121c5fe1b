package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/testkit/loopback"
)

// mix describes the calls of the oracle and the soak.
const mix = "70 % companies, 20 % exchange rates, 10 % codes and places"

// measureOracle makes mixed calls at a constant rate and compares every answer with the first one for the same path. It
// fails on any wrong body or status. Latencies count from the time at which a call was due, so that a server that falls
// behind is noticed.
func measureOracle(f *flag.FlagSet) func(context.Context, *testbed) error {
	rate := f.Int("rate", 2000, "calls a second")
	duration := f.Duration("time", 10*time.Minute, "how long")
	connections := f.Int("connections", 64, "number of keep-alive connections")
	return func(ctx context.Context, s *testbed) error {
		k, err := s.soak(ctx, "oracle", newChecker(s.companies, "retrievedAt", "cache"), 1)
		if err != nil {
			return err
		}
		if err := s.closeRegistries(); err != nil {
			return err
		}

		cpu := k.server.cpu()
		fmt.Printf("%d calls a second for %s: %s; %d addresses\n\n", *rate, *duration, mix, len(k.truth))
		if err := k.run(ctx, schedule{*rate, *duration, *connections}, *duration/samples, 0); err != nil {
			return err
		}

		return k.report(k.server.cpu() - cpu)
	}
}

// samples is the number of lines that an oracle prints.
const samples = 10

// oracleP99 is the target for the 99th percentile on two cores that the load generator shares.
const oracleP99 = 25 * time.Millisecond

// report prints all calls of an oracle together, and judges them.
func (k *soak) report(cpu time.Duration) error {
	latency := k.latency.from(0)
	fmt.Println()
	printHeader("calls", "wrong bodies", "not 200", "p50", "p99", "p99.9", "max", "CPU us a call")
	fmt.Printf("| %d | **%d** | **%d** |%s %.1f |\n", len(latency), k.wrong, k.refused,
		cells(latency, 10*time.Microsecond, 0.50, 0.99, 0.999, 1), float64(cpu.Microseconds())/float64(len(latency)))
	fmt.Print(k.summary())

	err := errors.Join(k.checker.verdict(), k.grown())
	if p99 := percentile(latency, 0.99); p99 > oracleP99 {
		err = errors.Join(err, fmt.Errorf("99 of 100 calls took up to %s, more than %s", p99, oracleP99))
	}

	return err
}

// measureSoak makes mixed calls at a moderate rate for hours, while profiles are refreshed continuously and the
// configuration is reloaded repeatedly. It prints a line a minute, and fails on a wrong or missing answer, if answers
// no longer come from the cache, if a counter decreases, or if memory, goroutines or descriptors grow.
func measureSoak(f *flag.FlagSet) func(context.Context, *testbed) error {
	rate := f.Int("rate", 200, "calls a second")
	duration := f.Duration("time", 8*time.Hour, "how long")
	reload := f.Duration("reload", 5*time.Minute, "time between two reloads")
	every := f.Duration("every", time.Minute, "time between two lines")
	connections := f.Int("connections", 16, "number of keep-alive connections")
	return func(ctx context.Context, s *testbed) error {
		if *duration < minLines**every {
			return fmt.Errorf("-time must be at least %d times -every", minLines)
		}

		// The day of an answer, and whether it is being refreshed, may change.
		k, err := s.soak(ctx, "soak", newChecker(s.companies, "retrievedAt", "cache", "asOf", "stale"), 3)
		if err != nil {
			return err
		}

		fmt.Printf("%d calls a second for %s: %s; a reload every %s\n\n", *rate, *duration, mix, *reload)
		if err := k.run(ctx, schedule{*rate, *duration, *connections}, *every, *reload); err != nil {
			return err
		}

		fmt.Print(k.summary())
		return errors.Join(k.checker.verdict(), k.trend.verdict())
	}
}

// soak is a gateway under load for a long time.
type soak struct {
	*checker
	trend
	server                       *server
	binary, file, metrics, admin string
	tries                        int // for a call, before it fails
	resent, reloaded             atomic.Int64
}

// soak starts a gateway and learns its answers. If tries is more than 1, calls are repeated when a reload closes their
// connection, and companies are fresh for only half a minute.
func (s *testbed) soak(ctx context.Context, name string, answers *checker, tries int) (_ *soak, err error) {
	k := &soak{
		checker: answers, binary: s.binary, file: filepath.Join(s.folder, name+".caddyfile"), tries: tries,
		metrics: loopback.FreeAddress(), admin: loopback.FreeAddress(),
	}

	config := site(s.app(name), "\trodata\n") + "http://" + k.metrics + " {\n\tmetrics\n}\n"
	config = strings.Replace(config, "\tadmin off\n", "\tadmin "+k.admin+"\n", 1)
	if tries > 1 {
		config = strings.Replace(config, callers(0),
			callers(0)+"\t\tcache {\n\t\t\tcompanies {\n\t\t\t\tfresh 30s\n\t\t\t}\n\t\t}\n", 1)
	}
	if k.server, err = s.caddy(ctx, name, config); err != nil {
		return nil, err
	}

	return k, k.learn(ctx, k.server)
}

// callers is the Caddyfile option that a reload changes.
func callers(n int64) string { return fmt.Sprintf("\t\tanonymous 1000000 %d\n", 1_000_000-n) }

// run makes the calls of a schedule, while it prints lines and reloads the configuration, unless the interval is 0.
func (k *soak) run(ctx context.Context, plan schedule, every, reload time.Duration) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var beside sync.WaitGroup
	beside.Go(func() { stop(k.watch(ctx, every)) })
	if reload > 0 {
		beside.Go(func() { stop(k.reload(ctx, reload)) })
	}

	err := plan.drive(ctx, k.server.address, k.call)
	stop(nil)
	beside.Wait()
	return err
}

// call makes a call. Like most clients, it repeats the request on a new connection if the first connection is closed
// before an answer begins.
func (k *soak) call(c *connection, random *rand.Rand, due time.Time) error {
	path := k.workload.pick(random)
	for tries := 1; ; tries++ {
		status, body, err := c.ask(get(c.address, path))
		if err == nil {
			k.record(path, status, body, time.Since(due))
			return nil
		}
		if status != 0 || tries >= k.tries {
			return fmt.Errorf("%s: after %d tries: %w", path, tries, err)
		}

		k.resent.Add(1)
		if err := c.redial(); err != nil {
			return err
		}
	}
}

// reload changes the configuration repeatedly until ctx ends.
func (k *soak) reload(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}

		config, err := os.ReadFile(k.file)
		if err != nil {
			return err
		}

		n := k.reloaded.Add(1)
		changed := strings.Replace(string(config), callers(n-1), callers(n), 1)
		if err := os.WriteFile(k.file, []byte(changed), 0o600); err != nil {
			return err
		}

		if err := k.reloadByCommand(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("reload %d: %w", n, err)
		}
	}
}

// reloadByCommand applies the configuration in the file.
func (k *soak) reloadByCommand(ctx context.Context) error {
	output, err := exec.CommandContext(ctx, k.binary, "reload", "--config", k.file, "--adapter", "caddyfile",
		"--address", k.admin).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
}

// watch prints a line at intervals, until ctx ends.
func (k *soak) watch(ctx context.Context, every time.Duration) error {
	tick, start := time.NewTicker(every), time.Now()
	defer tick.Stop()
	printHeader("after", "calls", "p50", "p99", "max", "sent again", "missed", "reloads", "resident MiB", "goroutines",
		"descriptors")
	for shown := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}

		l := line{after: time.Since(start), reloads: k.reloaded.Load(), resent: k.resent.Swap(0)}
		err := eventually(ctx, func() (err error) {
			l.usage, err = k.server.usage(k.metrics)
			return err
		})
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("reading the usage of the gateway: %w", err)
		}

		l.latency = k.latency.from(shown)
		shown += len(l.latency)
		fmt.Print(k.add(l))
	}
}
