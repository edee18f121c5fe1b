package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// measureDisk measures companies that are in the cache's file but not in memory: the
// first call for each after a restart, in sequence on one connection, with the registries
// stopped. The second call for each, answered from memory, is printed beside it. The file
// itself is in the kernel's page cache.
func measureDisk(ctx context.Context, args []string) (err error) {
	f := flags("disk")
	rounds := f.Int("rounds", 5, "restarts")
	if err := f.Parse(args); err != nil {
		return err
	}

	s, err := newTestbed(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	config := site(s.app("disk"), "\trodata\n")
	server, err := s.caddy(ctx, "disk", config)
	if err != nil {
		return err
	}
	if err := s.fill(ctx, server); err != nil {
		return err
	}
	if err := s.closeRegistries(); err != nil {
		return err
	}

	var first, second []time.Duration
	for range *rounds {
		if err := server.stop(); err != nil {
			return err
		}
		if server, err = s.caddy(ctx, "disk", config); err != nil {
			return err
		}

		disk, memory, err := s.twice(server)
		if err != nil {
			return err
		}

		first, second = append(first, disk...), append(second, memory...)
	}

	fmt.Printf("get_company, %d companies, %d restarts, one connection\n\n", len(s.companies), *rounds)
	fmt.Println("| answered from | calls | p50 | p99 | max |")
	fmt.Println("|---|---|---|---|---|")
	reportLatency("the file", first)
	reportLatency("memory", second)
	return nil
}

// fill loads all companies into the cache, concurrently, so that they share calls to the
// tax authority.
func (s *testbed) fill(ctx context.Context, server *server) error {
	errs := make([]error, len(s.companies))
	var wg sync.WaitGroup
	for i, company := range s.companies {
		wg.Go(func() { _, errs[i] = server.warm(ctx, "/v1/companies/"+company.CUI.String()) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// twice requests each company twice.
func (s *testbed) twice(server *server) (first, second []time.Duration, err error) {
	c, err := connect(server.address, time.Now().Add(serverTimeout))
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	if _, _, err := c.ask(get(server.address, "/health")); err != nil { // so that the first request is not charged for setup
		return nil, nil, err
	}

	for _, company := range s.companies {
		request := get(server.address, "/v1/companies/"+company.CUI.String())
		for _, latency := range []*[]time.Duration{&first, &second} {
			began := time.Now()
			status, body, err := c.ask(request)
			if err != nil {
				return nil, nil, err
			}

			*latency = append(*latency, time.Since(began))
			if status != 200 || !bytes.Contains(body, []byte(`"cache":"HIT"`)) {
				return nil, nil, fmt.Errorf("no hit: %d %s", status, body)
			}
		}
	}

	return first, second, nil
}

func reportLatency(name string, latency []time.Duration) {
	slices.Sort(latency)
	fmt.Printf("| %s | %d | %s | %s | %s |\n", name, len(latency), percentile(latency, 0.50).Round(time.Microsecond),
		percentile(latency, 0.99).Round(time.Microsecond), latency[len(latency)-1].Round(time.Microsecond))
}
