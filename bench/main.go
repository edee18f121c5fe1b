// Bench measures the gateway on loopback: it builds the binary, starts it against stand-ins for the registries,
// generates load, and prints a table in Markdown. It is a module of its own, beside the gateway's:
//
//	go -C bench run .              cache hits, compared with Caddy and Varnish
//	go -C bench run . shipped      what each part of the shipped Caddyfile costs
//	go -C bench run . protocols    cache hits under HTTP/1.1 and HTTP/2 with TLS, compared with Caddy
//	go -C bench run . page         the page of a company, compared with the API
//	go -C bench run . disk         a company from the cache's second level
//	go -C bench run . latency      the latency of a cache hit by load, as a chart
//	go -C bench run . oracle       mixed calls at a constant rate, every answer checked
//	go -C bench run . misses       uncached companies, at a constant rate
//	go -C bench run . batch        a thousand companies in one call
//	go -C bench run . soak         hours of mixed calls, with reloads
//	go -C bench run . register     search in an invented trade register
//	go -C bench run . start        the time to the first answer, and memory of an idle gateway
//	go -C bench run . releases     the files in which a trade register can be downloaded
//	go -C bench run . statements   how loading yearly statements affects callers
//	go -C bench run . mirror       how the mirror affects callers
//	go -C bench run . watched      the time to check all companies of a watch-list once
//	go -C bench run . jobs         files of companies, stored and new ones
//	go -C bench run . history      the size of five years of observations
//
// Each has its own flags; -h lists them. Linux only: resource usage is read from /proc. The comparison with Varnish
// needs varnishd:
//
//	apt-get install --no-install-recommends varnish
//
// The comparison of protocols needs h2load:
//
//	apt-get install --no-install-recommends nghttp2-client
//
// Only the ratios within one run are meaningful: the servers, the load generator and other processes share the
// processors.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rodata/rodata/testkit/standin"
)

// measurement is a sub-command.
type measurement struct {
	// define defines the flags, and returns the function that measures once they are parsed.
	define func(*flag.FlagSet) func(context.Context, *testbed) error
	// standIns configure the stand-ins of the registries.
	standIns standin.Options
	// alone is true if it needs no testbed.
	alone bool
}

// everybody has stand-ins as strict and as slow as the tax authority, which know every company.
var everybody = standin.Options{Strict: true, Everybody: true, Latency: authorityTakes}

var measurements = map[string]measurement{
	"hit":        {define: measureHit},
	"shipped":    {define: measureShipped},
	"page":       {define: measurePage},
	"protocols":  {define: measureProtocols},
	"disk":       {define: measureDisk},
	"latency":    {define: measureLatency},
	"oracle":     {define: measureOracle},
	"misses":     {define: measureMisses, standIns: standin.Options{Strict: true, Latency: authorityTakes}},
	"batch":      {define: measureBatch, standIns: everybody},
	"mirror":     {define: measureMirror, standIns: everybody},
	"watched":    {define: measureWatched, standIns: everybody},
	"jobs":       {define: measureJobs, standIns: everybody},
	"start":      {define: measureStart, standIns: standin.Options{Everybody: true}},
	"soak":       {define: measureSoak},
	"register":   {define: measureRegister},
	"releases":   {define: measureReleases, alone: true},
	"statements": {define: measureStatements},
	"history":    {define: measureHistory, alone: true},
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	name := "hit"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}

	m, ok := measurements[name]
	if !ok {
		return fmt.Errorf("there is no measurement %q: there are %s", name,
			strings.Join(slices.Sorted(maps.Keys(measurements)), ", "))
	}

	flags := flag.NewFlagSet("bench "+name, flag.ContinueOnError)
	measure := m.define(flags)
	if err := errors.Join(flags.Parse(args), positive(flags)); err != nil {
		return err
	}

	if m.alone {
		return measure(ctx, nil)
	}

	s, err := newTestbed(ctx, m.standIns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	return measure(ctx, s)
}

// positive checks that the values of all numeric flags and durations are positive.
func positive(flags *flag.FlagSet) (err error) {
	flags.VisitAll(func(f *flag.Flag) {
		switch v := f.Value.(flag.Getter).Get().(type) {
		case int:
			if v < 1 {
				err = fmt.Errorf("-%s must be positive", f.Name)
			}
		case time.Duration:
			if v <= 0 {
				err = fmt.Errorf("-%s must be positive", f.Name)
			}
		}
	})
	return err
}
