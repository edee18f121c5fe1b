package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// measureSoak makes mixed calls at a moderate rate for hours, while profiles are
// refreshed continuously and the configuration is reloaded again and again. It prints a
// line a minute, and fails on a wrong or missing answer, when answers no longer come from
// the cache, when a counter decreases, or when memory, goroutines or descriptors grow.
func measureSoak(ctx context.Context, args []string) (err error) {
	f := flags("soak")
	rate := f.Int("rate", 200, "calls a second")
	duration := f.Duration("time", 8*time.Hour, "how long")
	reload := f.Duration("reload", 5*time.Minute, "time between two reloads")
	every := f.Duration("every", time.Minute, "time between two lines")
	connections := f.Int("connections", 16, "number of keep-alive connections")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *rate < 1 || *connections < 1 || *reload <= 0 || *every <= 0 || *duration < minLines**every {
		return fmt.Errorf("-rate, -connections, -reload and -every must be positive, and -time at least %d times -every", minLines)
	}

	s, err := newTestbed(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	k, err := s.soak(ctx)
	if err != nil {
		return err
	}

	fmt.Printf("%d calls a second for %s: 70 %% companies, 20 %% exchange rates, 10 %% codes and places; a reload every %s\n\n", *rate, *duration, *reload)
	fmt.Print(lineHeader)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var beside sync.WaitGroup
	beside.Go(func() { stop(k.reload(ctx, *reload)) })
	beside.Go(func() { stop(k.watch(ctx, *every)) })
	err = schedule{*rate, *duration, *connections}.drive(ctx, k.callLoop)
	stop(nil)
	beside.Wait()
	if err != nil {
		return err
	}

	fmt.Print(k.summary())
	return errors.Join(k.checker.verdict(), k.trend.verdict())
}

// soak is a gateway under load for a long time.
type soak struct {
	*checker
	trend
	server                       *server
	binary, file, metrics, admin string
	resent, reloaded             atomic.Int64
}

// soak starts a gateway whose companies are fresh for half a minute, and learns
// its answers.
func (s *testbed) soak(ctx context.Context) (_ *soak, err error) {
	k := &soak{checker: &checker{workload: newWorkload(s.companies), truth: make(map[string]*truth)}, binary: s.binary, file: filepath.Join(s.folder, "soak.caddyfile")}
	for _, address := range []*string{&k.metrics, &k.admin} {
		if *address, err = freeAddress(); err != nil {
			return nil, err
		}
	}

	config := site(s.app("soak"), "\trodata\n") + "http://" + k.metrics + " {\n\tmetrics\n}\n"
	config = strings.Replace(config, "\tadmin off\n", "\tadmin "+k.admin+"\n", 1)
	config = strings.Replace(config, callers(0), callers(0)+"\t\tcache {\n\t\t\tcompanies {\n\t\t\t\tfresh 30s\n\t\t\t}\n\t\t}\n", 1)
	if k.server, err = s.caddy(ctx, "soak", config); err != nil {
		return nil, err
	}
	if err := k.learn(ctx, k.server); err != nil {
		return nil, err
	}

	for _, t := range k.truth {
		t.exact = ageless(t.exact)
		t.normal = normalise(t.exact)
	}
	return k, nil
}

// callers is the option of the Caddyfile that a reload changes.
func callers(n int64) string { return fmt.Sprintf("\t\tanonymous 1000000 %d\n", 1_000_000-n) }

// aging is what tells the age of an answer: the day that it is of, and whether it
// is being renewed.
var aging = regexp.MustCompile(`"(?:asOf":"[^"]*"|stale":(?:true|false))`)

func ageless(body []byte) []byte { return aging.ReplaceAll(body, nil) }

// callLoop is one caller. Like most clients, it repeats a request on another connection
// when the first one ends before an answer begins.
func (k *soak) callLoop(_ context.Context, number int, due <-chan time.Time) error {
	random := rand.New(rand.NewPCG(2, uint64(number)))
	var c *connection
	defer func() {
		if c != nil {
			c.Close()
		}
	}()

	for at := range due {
		path := k.workload.pick(random)
		for tries := 1; ; tries++ {
			status, body, err := k.ask(&c, path)
			if err == nil {
				k.record(path, status, ageless(body), time.Since(at))
				break
			}
			if status != 0 || tries == 3 {
				return fmt.Errorf("%s: after %d tries: %w", path, tries, err)
			}

			k.resent.Add(1)
		}
	}

	return nil
}

// ask makes a call on the connection, or on a new one when there is none; after an
// error there is none. The status is 0 when no answer began.
func (k *soak) ask(on **connection, path string) (status int, body []byte, err error) {
	if *on == nil {
		if *on, err = connect(k.server.address, time.Now().Add(serverTimeout)); err != nil {
			*on = nil
			return 0, nil, err
		}
	}

	c := *on
	if err = c.SetDeadline(time.Now().Add(serverTimeout)); err == nil {
		status, body, err = c.ask(get(k.server.address, path))
	}
	if err != nil {
		c.Close()
		*on = nil
	}

	return status, body, err
}

// reload changes the configuration, again and again until ctx ends.
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

		said, err := exec.CommandContext(ctx, k.binary, "reload", "--config", k.file, "--adapter", "caddyfile", "--address", k.admin).CombinedOutput()
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("reload %d: %w\n%s", n, err, said)
		}
	}
}

// watch prints a line at intervals, until ctx ends.
func (k *soak) watch(ctx context.Context, every time.Duration) error {
	tick, start := time.NewTicker(every), time.Now()
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}

		l := line{after: time.Since(start), reloads: k.reloaded.Load(), resent: k.resent.Swap(0)}
		err := eventually(ctx, func() error { return l.read(k.server, k.metrics) })
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("reading what the gateway holds: %w", err)
		}

		k.mu.Lock()
		l.latency, k.latency = k.latency, nil
		k.mu.Unlock()
		fmt.Print(k.add(l))
	}
}
