package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/upstream/onrc/onrctest"
)

// measureRegister measures the trade register end to end: the command loads invented
// companies from realistic files, callers search over HTTP in a closed loop, and the
// server's memory is compared with that of one without a register.
func measureRegister(ctx context.Context, args []string) (err error) {
	f := flags("register")
	firms := f.Int("firms", 100_000, "companies; the real register has 4,200,000")
	callers := f.Int("callers", 8, "callers at once")
	duration := f.Duration("time", 20*time.Second, "how long they search")
	if err := f.Parse(args); err != nil {
		return err
	}

	s, err := newTestbed(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	queries, err := s.loadRegister(ctx, *firms)
	if err != nil {
		return err
	}

	idle, err := s.caddy(ctx, "idle", site(s.app("idle"), "\trodata\n"))
	if err != nil {
		return err
	}

	server, err := s.caddy(ctx, "register", site(s.app("register"), "\trodata\n"))
	if err != nil {
		return err
	}

	for _, one := range s.servers {
		if _, err := fetch(one.address, get(one.address, "/v1/plans")); err != nil {
			return err
		}
	}

	began := time.Now()
	if _, err := fetch(server.address, get(server.address, "/v1/companies?q=exemplu")); err != nil {
		return err
	}

	first := time.Since(began)
	found, err := search(server, queries, *callers, *duration)
	if err != nil {
		return err
	}

	suggestions := queries[len(queries)-1]
	alone, err := search(server, []queryKind{suggestions}, *callers, *duration/4)
	if err != nil {
		return err
	}

	typing, err := suggestions.ask(ctx, server, schedule{rate: typists, duration: *duration, connections: *callers})
	if err != nil {
		return err
	}

	fmt.Printf("\nfirst search after the start: %s\n\n| search by | calls | p50 | p95 | p99 | max |\n|---|---|---|---|---|---|\n", first.Round(100*time.Microsecond))
	for _, kind := range queries {
		reportSearch(kind.name, found[kind.name])
		found["all"] = append(found["all"], found[kind.name]...)
	}

	reportSearch("all", found["all"])
	reportSearch("suggestions alone", alone[suggestions.name])
	reportSearch(fmt.Sprintf("suggestions, %d a second", typists), typing)
	return reportAnonymous(idle, server)
}

// loadRegister writes a release, loads it, and makes queries for its companies.
func (s *testbed) loadRegister(ctx context.Context, firms int) ([]queryKind, error) {
	release := onrctest.Release{Dir: filepath.Join(s.folder, "release")}
	if err := release.Write(onrctest.Firms(firms, 1)); err != nil {
		return nil, err
	}

	load := exec.CommandContext(ctx, s.binary, "register", "load", "--from", release.Dir, "--data-dir", filepath.Join(s.folder, "register.data"))
	load.Stdout = os.Stdout
	if err := load.Run(); err != nil {
		return nil, fmt.Errorf("loading the register: %w", err)
	}
	if err := os.RemoveAll(release.Dir); err != nil {
		return nil, err
	}

	return queryKinds(firms), nil
}

// queryKind is a set of similar queries.
type queryKind struct {
	name  string
	paths []string
}

// queryKinds makes queries of every kind from the companies.
func queryKinds(firms int) []queryKind {
	kinds := []queryKind{
		{name: "whole name"}, {name: "beginning of a name"}, {name: "one word"}, {name: "tax id"}, {name: "county and activity"},
		{name: "word, county and activity"}, {name: "everything, far down"}, {name: "word, by date"},
		{name: "suggestions"},
	}

	const samples = 500
	step, i := max(1, firms/samples), 0
	for firm := range onrctest.Firms(firms, 1) {
		if i++; i%step != 0 {
			continue
		}
		words := strings.Fields(firm.Name)
		county := "&county=" + firm.Place.CountyCode
		class := "&naceCode=6210"
		if len(firm.Activities) > 0 {
			class = "&naceCode=" + firm.Activities[0].Class
		}

		for k, query := range []string{
			"q=" + url.QueryEscape(firm.Name),
			"q=" + url.QueryEscape(strings.TrimSpace(string([]rune(firm.Name)[:4]))),
			"q=" + url.QueryEscape(words[0]),
			"q=" + firm.CUI.String(),
			county[1:] + class,
			"q=" + url.QueryEscape(words[0]) + county + class,
			fmt.Sprintf("sortBy=%s&sortDirection=desc&offset=%d", []string{"name", "taxId", "registrationDate"}[i%3], min(999_999, i)),
			"q=" + url.QueryEscape(words[0]) + "&sortBy=registrationDate",
		} {
			kinds[k].paths = append(kinds[k].paths, "/v1/companies?"+query)
		}

		typed := string([]rune(firm.Name)[:min(len([]rune(firm.Name)), 2+i%6)])
		kinds[len(kinds)-1].paths = append(kinds[len(kinds)-1].paths, "/v1/companies/suggest?q="+url.QueryEscape(strings.TrimSpace(typed)+"e"))
	}

	return kinds
}

// typists is how many suggestions a second are wanted by people who type, some two
// hundred of them at once.
const typists = 500

// ask makes the calls of a schedule and returns their latencies.
func (k queryKind) ask(ctx context.Context, server *server, s schedule) ([]time.Duration, error) {
	var (
		mu      sync.Mutex
		wg      sync.WaitGroup
		all     []time.Duration
		failure error
	)

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	due, start := make(chan time.Time, s.rate), time.Now()
	wg.Go(func() { s.feed(ctx, start, due) })
	for i := range s.connections {
		wg.Go(func() {
			mine, err := k.callLoop(server, due, rand.New(rand.NewPCG(1, uint64(i))), start.Add(s.duration+serverTimeout))
			if err != nil {
				stop() // stops the others
			}
			mu.Lock()
			defer mu.Unlock()
			all, failure = append(all, mine...), errors.Join(failure, err)
		})
	}

	wg.Wait()
	return all, failure
}

// callLoop is one connection, which makes the calls that become due.
func (k queryKind) callLoop(server *server, due <-chan time.Time, random *rand.Rand, until time.Time) (took []time.Duration, err error) {
	c, err := connect(server.address, until)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for at := range due {
		request := get(server.address, k.paths[random.IntN(len(k.paths))])
		status, body, err := c.ask(request)
		if err != nil {
			return nil, err
		}
		if status != 200 {
			return nil, fmt.Errorf("%s: %d %s", request, status, body)
		}

		took = append(took, time.Since(at))
	}

	return took, nil
}

// search has callers send queries of all kinds in random order, in a closed loop, and
// returns the latencies by kind.
func search(server *server, kinds []queryKind, callers int, duration time.Duration) (map[string][]time.Duration, error) {
	var (
		mu      sync.Mutex
		wg      sync.WaitGroup
		found   = make(map[string][]time.Duration)
		failure error
	)

	until := time.Now().Add(duration)
	for caller := range callers {
		wg.Go(func() {
			mine, err := searcher(server, kinds, rand.New(rand.NewPCG(1, uint64(caller))), until)
			mu.Lock()
			defer mu.Unlock()
			failure = errors.Join(failure, err)
			for kind, latency := range mine {
				found[kind] = append(found[kind], latency...)
			}
		})
	}

	wg.Wait()
	return found, failure
}

func searcher(server *server, kinds []queryKind, random *rand.Rand, until time.Time) (map[string][]time.Duration, error) {
	c, err := connect(server.address, until.Add(serverTimeout))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	found := make(map[string][]time.Duration)
	for time.Now().Before(until) {
		kind := kinds[random.IntN(len(kinds))]
		request := get(server.address, kind.paths[random.IntN(len(kind.paths))])
		began := time.Now()
		status, body, err := c.ask(request)
		if err != nil {
			return nil, err
		}
		if status != 200 {
			return nil, fmt.Errorf("%s: %d %s", request, status, body)
		}

		found[kind.name] = append(found[kind.name], time.Since(began))
	}

	return found, nil
}

func reportSearch(name string, latency []time.Duration) {
	slices.Sort(latency)
	if len(latency) == 0 {
		return
	}
	fmt.Printf("| %s | %d | %s | %s | %s | %s |\n", name, len(latency), percentile(latency, 0.50).Round(10*time.Microsecond),
		percentile(latency, 0.95).Round(10*time.Microsecond), percentile(latency, 0.99).Round(10*time.Microsecond), latency[len(latency)-1].Round(10*time.Microsecond))
}

// reportAnonymous prints the memory that cannot be given back to the files it came
// from.
func reportAnonymous(idle, loaded *server) error {
	without, err := idle.anonymous()
	if err != nil {
		return err
	}

	with, err := loaded.anonymous()
	if err != nil {
		return err
	}

	fmt.Printf("\nanonymous memory: %d MiB after the searches, %d MiB idle without a register\n", with>>10, without>>10)
	return nil
}

// anonymous is the process's memory that no file is behind, in KiB.
func (s *server) anonymous() (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		return 0, err
	}
	return figure(status, "RssAnon:")
}
