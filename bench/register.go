package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/testkit/traderegister"
)

// measureRegister measures the trade register end to end: the command loads invented companies from realistic files,
// callers search over HTTP in a closed loop, and the server's memory is compared with a server without a register.
func measureRegister(f *flag.FlagSet) func(context.Context, *testbed) error {
	firms := f.Int("firms", 100_000, "companies; the real register has 4,200,000")
	callers := f.Int("callers", 8, "callers at once")
	duration := f.Duration("time", 20*time.Second, "how long they search")
	return func(ctx context.Context, s *testbed) error {
		queries, err := s.loadRegister(ctx, *firms)
		if err != nil {
			return err
		}

		idle, err := s.caddy(ctx, "idle", site(s.app("idle"), "\trodata\n"))
		if err != nil {
			return err
		}

		// The release files would take minutes to create.
		app := strings.Replace(s.app("register"), "upstream onrc {", "upstream onrc {\n\t\t\treleases off", 1)
		// At the pace of the testbed, the gateway would fetch the companies of the pages at a hundred times the rate
		// that the tax authority allows, which takes a third of the CPU.
		app = strings.Replace(app, "pace 10ms", "pace 1050ms", 1)
		server, err := s.caddy(ctx, "register", site(app, "\trodata\n"))
		if err != nil {
			return err
		}

		for _, started := range s.servers {
			if _, err := fetch(started.address, get(started.address, "/v1/plans")); err != nil {
				return err
			}
		}

		began := time.Now()
		if _, err := fetch(server.address, get(server.address, "/v1/companies?q=exemplu")); err != nil {
			return err
		}

		fmt.Printf("\nfirst search after the start: %s\n\n", time.Since(began).Round(100*time.Microsecond))
		if err := searches(ctx, server, queries, *callers, *duration); err != nil {
			return err
		}

		return reportAnonymous(idle, server)
	}
}

// searches prints the table: all kinds of queries except typos mixed, then typos and suggestions alone.
func searches(ctx context.Context, server *server, queries []queryKind, callers int, duration time.Duration) error {
	printHeader("search by", "calls", "p50", "p95", "p99", "max")
	last := len(queries) - 1
	mix, suggestions, typos := queries[:last], queries[last-1:last], queries[last:]
	brief := schedule{duration: duration / 4, connections: callers}
	for _, s := range []struct {
		name  string
		kinds []queryKind
		plan  schedule
	}{
		{"", mix, schedule{duration: duration, connections: callers}},
		{"typos alone", typos, brief},
		{"suggestions alone", suggestions, brief},
		{fmt.Sprintf("suggestions, %d a second", typists), suggestions,
			schedule{rate: typists, duration: duration, connections: callers}},
	} {
		if err := search(ctx, server, s.kinds, s.plan, s.name); err != nil {
			return err
		}
	}

	return nil
}

// loadRegister writes a release, loads it, and creates queries for its companies.
func (s *testbed) loadRegister(ctx context.Context, firms int) ([]queryKind, error) {
	release := traderegister.Release{Dir: filepath.Join(s.folder, "release")}
	if err := release.Write(traderegister.Firms(firms, 1)); err != nil {
		return nil, err
	}

	load := exec.CommandContext(ctx, s.binary, "register", "load", "--from", release.Dir, "--data-dir",
		filepath.Join(s.folder, "register.data"))
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

// queryKinds creates queries of every kind for a register of that many invented companies.
func queryKinds(firms int) []queryKind {
	kinds := []queryKind{
		{name: "whole name"}, {name: "beginning of a name"}, {name: "one word"}, {name: "tax id"},
		{name: "county and activity"}, {name: "word, county and activity"}, {name: "everything, far down"},
		{name: "word, by date"}, {name: "suggestions"}, {name: "typos"},
	}

	const samples = 500
	step, i := max(1, firms/samples), 0
	for firm := range traderegister.Firms(firms, 1) {
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
			fmt.Sprintf("sortBy=%s&sortDirection=desc&offset=%d", []string{"name", "taxId", "registrationDate"}[i%3],
				min(999_999, i)),
			"q=" + url.QueryEscape(words[0]) + "&sortBy=registrationDate",
		} {
			kinds[k].paths = append(kinds[k].paths, "/v1/companies?"+query)
		}

		name := []rune(firm.Name)
		typed := string(name[:min(len(name), 2+i%6)])
		suggestions, typos := &kinds[len(kinds)-2], &kinds[len(kinds)-1]
		suggestions.paths = append(suggestions.paths,
			"/v1/companies/suggest?q="+url.QueryEscape(strings.TrimSpace(typed)+"e"))
		missing := 1 + i/step%min(6, len(name)-2) // one of the first letters
		typos.paths = append(typos.paths,
			"/v1/companies?q="+url.QueryEscape(string(slices.Delete(name, missing, missing+1))))
	}

	return kinds
}

// typists is the number of suggestions that about two hundred people request per second while typing.
const typists = 500

// search sends queries of all kinds in random order and prints their durations. It prints a row for each kind and one
// for the total or, if name is set, a single row with this name.
func search(ctx context.Context, server *server, kinds []queryKind, plan schedule, name string) error {
	var all latencies
	took := make([]latencies, len(kinds))
	err := plan.drive(ctx, server.address, func(c *connection, random *rand.Rand, due time.Time) error {
		k := random.IntN(len(kinds))
		paths := kinds[k].paths
		_, err := c.expect(get(c.address, paths[random.IntN(len(paths))]))
		took[k].add(time.Since(due))
		all.add(time.Since(due))
		return err
	})
	if err != nil {
		return err
	}

	if name == "" {
		name = "all"
		for k := range kinds {
			reportSearch(kinds[k].name, &took[k])
		}
	}

	reportSearch(name, &all)
	return nil
}

func reportSearch(name string, took *latencies) {
	if n := len(took.all); n > 0 {
		fmt.Printf("| %s | %d |%s\n", name, n, cells(took.from(0), 10*time.Microsecond, 0.50, 0.95, 0.99, 1))
	}
}

// reportAnonymous prints the memory that is not backed by files.
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

// anonymous returns the process's anonymous memory, in KiB.
func (s *server) anonymous() (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		return 0, err
	}
	return figure(status, "RssAnon:")
}
