// Bench measures the gateway on loopback: it builds the binary, starts it against
// stand-ins of the registries, puts load on it, and prints a table in Markdown.
//
//	go run ./internal/bench              cache hits, compared with Caddy and Varnish
//	go run ./internal/bench shipped      what each part of the shipped Caddyfile costs
//	go run ./internal/bench disk         a company from the cache's second level
//	go run ./internal/bench oracle       mixed calls at a constant rate, every answer checked
//	go run ./internal/bench misses       companies that are not cached, at a constant rate
//	go run ./internal/bench soak         hours of mixed calls, with reloads
//	go run ./internal/bench register     search in an invented trade register
//
// Each has flags of its own; -h lists them. Linux only: resource usage is read from
// /proc. The comparison with Varnish needs varnishd:
//
//	apt-get install --no-install-recommends varnish
//
// Only the ratios within one run are meaningful: the servers, the load generator and
// other processes share the processors.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// measurements are the sub-commands.
var measurements = map[string]func(context.Context, []string) error{
	"hit": measureHit, "shipped": measureShipped, "disk": measureDisk, "oracle": measureOracle, "misses": measureMisses, "soak": measureSoak, "register": measureRegister,
}

func main() {
	name, args := "hit", os.Args[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}

	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	err := fmt.Errorf("there is no measurement %q: there are hit, shipped, disk, oracle, misses, soak and register", name)
	if measure := measurements[name]; measure != nil {
		err = measure(ctx, args)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// flags are the flags of a sub-command.
func flags(name string) *flag.FlagSet { return flag.NewFlagSet("bench "+name, flag.ContinueOnError) }
