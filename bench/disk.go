package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"time"
)

// measureDisk measures answers from the cache's file. After a restart, with the registries stopped, it requests each
// company twice in sequence on one connection. The first answer comes from the file, which is in the kernel's page
// cache, and the second from memory. It prints both.
func measureDisk(f *flag.FlagSet) func(context.Context, *testbed) error {
	rounds := f.Int("rounds", 5, "restarts")
	return func(ctx context.Context, s *testbed) error {
		config := site(s.app("disk"), "\trodata\n")
		server, err := s.caddy(ctx, "disk", config)
		if err != nil {
			return err
		}
		if err := errors.Join(s.fill(ctx, server), s.closeRegistries()); err != nil {
			return err
		}

		var file, memory latencies
		for range *rounds {
			if err := server.stop(); err != nil {
				return err
			}
			if server, err = s.caddy(ctx, "disk", config); err != nil {
				return err
			}
			if err := s.requestTwice(server, &file, &memory); err != nil {
				return err
			}
		}

		fmt.Printf("get_company, %d companies, %d restarts, one connection\n\n", len(s.companies), *rounds)
		printHeader("answered from", "calls", "p50", "p99", "max")
		fmt.Printf("| the file | %d |%s\n", len(file.all), cells(file.from(0), time.Microsecond, 0.5, 0.99, 1))
		fmt.Printf("| memory | %d |%s\n", len(memory.all), cells(memory.from(0), time.Microsecond, 0.5, 0.99, 1))
		return nil
	}
}

// fill loads all companies into the cache, concurrently, so that they share calls to the tax authority.
func (s *testbed) fill(ctx context.Context, server *server) error {
	errs := make([]error, len(s.companies))
	var wg sync.WaitGroup
	for i, company := range s.companies {
		wg.Go(func() { _, errs[i] = server.warm(ctx, "/v1/companies/"+company.CUI.String()) })
	}

	wg.Wait()
	return errors.Join(errs...)
}

// requestTwice requests each company twice.
func (s *testbed) requestTwice(server *server, first, second *latencies) error {
	c, err := connect(server.address)
	if err != nil {
		return err
	}
	defer c.close()

	// The first measured request must not include the cost of connecting.
	if _, err := c.expect(get(server.address, "/health")); err != nil {
		return err
	}

	for _, company := range s.companies {
		request := get(server.address, "/v1/companies/"+company.CUI.String())
		for _, took := range []*latencies{first, second} {
			began := time.Now()
			body, err := c.expect(request)
			if err != nil {
				return err
			}

			took.add(time.Since(began))
			if !bytes.Contains(body, []byte(`"cache":"HIT"`)) {
				return fmt.Errorf("no hit: %s", body)
			}
		}
	}

	return nil
}
