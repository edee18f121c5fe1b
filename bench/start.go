package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// The goals of a start.
const (
	healthyWithin = 300 * time.Millisecond
	idleMemory    = 100 // MiB
)

// measureStart starts the shipped file several times with a loaded trade register and a filled cache on disk. It
// measures the time from the start of the process to the first answer of /health, and the anonymous memory of the idle
// gateway.
func measureStart(f *flag.FlagSet) func(context.Context, *testbed) error {
	firms := f.Int("firms", 100_000, "companies in the trade register; the real one has 4,200,000")
	stored := f.Int("stored", 20_000, "companies in the cache's file")
	rounds := f.Int("rounds", 5, "starts, of which the medians are printed")
	idle := f.Duration("idle", 10*time.Second, "time between a start and the reading of its memory")
	return func(ctx context.Context, s *testbed) error {
		if _, err := s.loadRegister(ctx, *firms); err != nil {
			return err
		}
		if err := s.fillCache(ctx, *stored); err != nil {
			return err
		}

		var waits []time.Duration
		var memory []int
		for range *rounds {
			began := time.Now()
			server, err := s.caddy(ctx, "start", s.shippedFile("register", ""))
			if err != nil {
				return err
			}
			if _, err := fetch(server.address, get(server.address, "/health")); err != nil {
				return err
			}

			waits = append(waits, time.Since(began))

			if err := pause(ctx, *idle); err != nil {
				return err
			}

			anonymous, err := server.anonymous()
			if err := errors.Join(err, server.stop()); err != nil {
				return err
			}

			memory = append(memory, anonymous>>10)
		}

		slices.Sort(waits)
		slices.Sort(memory)
		fmt.Printf("\nThe shipped file with %d companies in the trade register and %d in the cache's file; %d "+
			"starts\n\n", *firms, *stored, *rounds)
		printHeader("what", "median", "highest", "goal")
		fmt.Printf("| time to /health | %s | %s | %s |\n", round(waits[len(waits)/2]), round(waits[len(waits)-1]),
			healthyWithin)
		fmt.Printf("| anonymous memory after %s, MiB | %d | %d | %d |\n", *idle, memory[len(memory)/2],
			memory[len(memory)-1], idleMemory)
		return nil
	}
}

// fillCache stores companies in the cache's file of the register's data directory, and waits for the release files,
// which a gateway makes once for each release.
func (s *testbed) fillCache(ctx context.Context, companies int) error {
	server, err := s.caddy(ctx, "fill", site(withBatches(s.app("register")), "\trodata\n"))
	if err != nil {
		return err
	}

	b := &batches{ctx: ctx, server: server, numbers: new(misses), asked: s.registries.ANAF.Requests}
	for filled := 0; filled < companies; filled += batchSize {
		if _, err := b.post(b.list(min(batchSize, companies-filled)), "application/x-ndjson"); err != nil {
			return err
		}
	}

	http.DefaultClient.CloseIdleConnections() // they would keep the server from stopping
	if err := server.awaitReleaseFiles(ctx); err != nil {
		return err
	}

	return server.stop()
}

// awaitReleaseFiles waits until the files of the trade register's release can be downloaded.
func (s *server) awaitReleaseFiles(ctx context.Context) error {
	return until(ctx, time.Second, func() (bool, error) {
		body, err := fetch(s.address, get(s.address, "/v1/releases"))
		if err != nil {
			return false, err
		}

		var list struct{ Releases []struct{ Files []struct{} } }
		err = json.Unmarshal(body, &list)
		return len(list.Releases) > 0 && len(list.Releases[0].Files) > 0, err
	})
}
