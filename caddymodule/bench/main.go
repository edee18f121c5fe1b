// Bench measures what the gateway costs on its most frequent path: a company
// that is in the cache. It starts Caddy once with the rodata handler and once
// with Caddy's own respond handler, which answers the same bytes from the same
// site block, loads both in turn, and prints both.
//
//	go run ./caddymodule/bench
//
// Only the ratios of one run mean something: the two servers, the loader and
// the machine's other work share its processors.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rodata/rodata/upstream/upstreamtest"
)

func main() {
	rounds := flag.Int("rounds", 5, "rounds, of which the medians are printed")
	duration := flag.Duration("time", 3*time.Second, "length of one server's part of a round")
	connections := flag.String("connections", "32,256", "numbers of keep-alive connections, separated by commas")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := measure(ctx, *rounds, *duration, strings.Split(*connections, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, rounds int, duration time.Duration, connections []string) (err error) {
	folder, err := os.MkdirTemp("", "rodata-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	rodata, respond, body, err := startBoth(ctx, folder)
	for _, s := range []*server{rodata, respond} {
		if s != nil {
			defer func() { err = errors.Join(err, s.stop()) }()
		}
	}
	if err != nil {
		return err
	}
	fmt.Printf("get_company from the cache, %d bytes, HTTP/1.1 keep-alive; medians of %d rounds of %s\n\n", len(body), rounds, duration)
	fmt.Println("| connections | handler | req/s | CPU us a request | p50 | p99 |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, text := range connections {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		ours, theirs, err := interleave(rodata, respond, rounds, n, duration, body)
		if err != nil {
			return err
		}
		report(n, ours, theirs)
	}
	return nil
}

// startBoth builds the gateway, starts it both ways, and warms the cache.
func startBoth(ctx context.Context, folder string) (rodata, respond *server, body []byte, err error) {
	binary := filepath.Join(folder, "rodata")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/rodata/rodata/caddymodule/rodata")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, nil, nil, fmt.Errorf("building the gateway: %w", err)
	}
	registries, err := upstreamtest.Start(upstreamtest.Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	defer registries.Close() // what is measured is in the cache by then
	companies, err := upstreamtest.Companies()
	if err != nil {
		return nil, nil, nil, err
	}
	path := "/v1/companies/" + companies[0].CUI.String()
	config := fmt.Sprintf(rodataConfig, filepath.Join(folder, "data"), registries.ANAF.URL, registries.BNR.URL)
	if rodata, err = start(ctx, binary, "rodata", path, folder, config); err != nil {
		return rodata, nil, nil, err
	}
	if body, err = rodata.body(ctx); err != nil { // the second answer: from the cache
		return rodata, nil, nil, err
	}
	respond, err = start(ctx, binary, "respond", path, folder, fmt.Sprintf(respondConfig, "`"+string(body)+"`"))
	return rodata, respond, body, err
}

const (
	globalConfig = `
	admin off
	persist_config off
	auto_https off
	log default {
		level ERROR
	}
`
	rodataConfig = `{` + globalConfig + `
	rodata {
		data_dir %s
		anonymous 1000000 1000000
		upstream anaf {
			url %s
		}
		upstream bnr {
			url %s
		}
	}
}
ADDRESS {
	rodata
}
`
	respondConfig = `{` + globalConfig + `
}
ADDRESS {
	respond %s
}
`
)

// interleave loads both servers in turn, so that a drift of the machine's speed
// meets both alike.
func interleave(ours, theirs *server, rounds, connections int, duration time.Duration, body []byte) (a, b []*load, err error) {
	for range rounds {
		x, err := ours.run(connections, duration, body)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", ours.name, err)
		}
		y, err := theirs.run(connections, duration, body)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", theirs.name, err)
		}
		a, b = append(a, x), append(b, y)
	}
	return a, b, nil
}

func report(connections int, ours, theirs []*load) {
	for _, row := range []struct {
		name  string
		loads []*load
	}{{"rodata", ours}, {"respond", theirs}} {
		fmt.Printf("| %d | %s | %.0f | %.1f | %s | %s |\n", connections, row.name,
			median(row.loads, (*load).rate), median(row.loads, (*load).cpuPerRequest),
			latency(row.loads, 0.50), latency(row.loads, 0.99))
	}
	var rates, cpus []float64
	for i := range ours {
		rates = append(rates, ours[i].rate()/theirs[i].rate())
		cpus = append(cpus, ours[i].cpuPerRequest()/theirs[i].cpuPerRequest())
	}
	slices.Sort(rates)
	slices.Sort(cpus)
	fmt.Printf("| %d | **ratio** | **%.2f** (%.2f to %.2f) | **%.2f** | | |\n", connections,
		rates[len(rates)/2], rates[0], rates[len(rates)-1], cpus[len(cpus)/2])
}

func median(loads []*load, figure func(*load) float64) float64 {
	var figures []float64
	for _, l := range loads {
		figures = append(figures, figure(l))
	}
	slices.Sort(figures)
	return figures[len(figures)/2]
}

func latency(loads []*load, p float64) time.Duration {
	d := median(loads, func(l *load) float64 { return float64(l.percentile(p)) })
	return time.Duration(d).Round(10 * time.Microsecond)
}
