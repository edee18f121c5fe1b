package main

import (
	"context"
	"flag"
	"fmt"
	"time"
)

// measurePage compares the page of a stored company with the same company as a cache hit of the API, both through the
// shipped Caddyfile: plain and compressed.
func measurePage(f *flag.FlagSet) func(context.Context, *testbed) error {
	rounds := f.Int("rounds", 5, "rounds, of which the medians are printed")
	duration := f.Duration("time", 2*time.Second, "length of one target's part of a round")
	connections := f.Int("connections", 32, "number of keep-alive connections")
	return func(ctx context.Context, s *testbed) error {
		targets, err := s.pages(ctx)
		if err != nil {
			return err
		}
		if err := s.closeRegistries(); err != nil { // nothing may be fetched during the run
			return err
		}

		loads, err := interleave(ctx, targets, *rounds, schedule{duration: *duration, connections: *connections})
		if err != nil {
			return err
		}

		fmt.Printf("A stored company through the shipped Caddyfile, %d connections; medians of %d rounds of %s; the "+
			"page by the API\n\n", *connections, *rounds, *duration)
		printHeader("answer", "CPU us a request", "CPU", "req/s", "p99")
		for i, t := range targets {
			cpus := ratios(loads[i], loads[i%2], (*load).cpuPerRequest)
			fmt.Printf("| %s | %.1f | %s | %.0f | %s |\n", t.name, median(loads[i], (*load).cpuPerRequest), cpus,
				median(loads[i], (*load).rate), medianLatency(loads[i], 0.99))
		}

		return nil
	}
}

// pages are the targets: the API and the page, each plain and compressed.
func (s *testbed) pages(ctx context.Context) (targets []*target, err error) {
	server, err := s.caddy(ctx, "page", s.shippedFile("page", ""))
	if err != nil {
		return nil, err
	}

	company := "/companies/" + s.companies[0].CUI.String()
	if _, err := server.warm(ctx, "/v1"+company+"?include=balanceSheets,insolvency"); err != nil {
		return nil, err
	}

	for _, t := range []struct{ name, path, encoding string }{
		{"API", "/v1" + company, ""},
		{"API, gzip", "/v1" + company, "gzip"},
		{"page", company, ""},
		{"page, gzip", company, "gzip"},
	} {
		request := fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: %s\r\n\r\n", t.path,
			server.address, t.encoding)
		body, err := fetch(server.address, request)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}

		size := len(body)
		targets = append(targets, &target{t.name, server, request, func(body []byte) bool { return len(body) == size }})
	}

	return targets, nil
}
