package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rodata/rodata"
)

// measureShipped measures the cost of each part of the shipped Caddyfile: the same hit with the bare handler, with one
// part added, and with the whole file. Logs go to a file. The client accepts no compression, as in the other
// measurements, unless a row says gzip.
func measureShipped(f *flag.FlagSet) func(context.Context, *testbed) error {
	only := f.String("only", "", "a regular expression that selects sites, beside the bare one")
	rounds := f.Int("rounds", 5, "rounds, of which the medians are printed")
	duration := f.Duration("time", 2*time.Second, "length of one configuration's part of a round")
	connections := f.Int("connections", 32, "number of keep-alive connections")
	return func(ctx context.Context, s *testbed) error {
		sites, err := regexp.Compile(*only)
		if err != nil {
			return fmt.Errorf("-only: %w", err)
		}

		targets, err := s.configurations(ctx, sites)
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

		fmt.Printf("get_company from the cache, %d connections; medians of %d rounds of %s; CPU and req/s by those "+
			"of the bare site\n\n", *connections, *rounds, *duration)
		printHeader("site", "CPU us a request", "CPU", "req/s", "p99")
		for i, t := range targets {
			cpus, rates := ratios(loads[i], loads[0], (*load).cpuPerRequest), ratios(loads[i], loads[0], (*load).rate)
			fmt.Printf("| %s | %.1f | %s | %.2f | %s |\n", t.name, median(loads[i], (*load).cpuPerRequest), cpus,
				rates.median(), medianLatency(loads[i], 0.99))
		}

		return nil
	}
}

// configuration is a Caddyfile with the gateway, and additional request headers.
type configuration struct{ name, caddyfile, header string }

// configurations starts the sites to compare and returns them as targets, the bare site first.
func (s *testbed) configurations(ctx context.Context, only *regexp.Regexp) (targets []*target, err error) {
	const (
		metrics = "\n\tmetrics\n"
		gzip    = "Accept-Encoding: gzip\r\n"
		alone   = "\trodata\n"
	)

	encode := directive("@encode") + directive("encode")
	for i, c := range []configuration{
		{"`rodata` alone", site(s.app("c0"), alone), ""},
		{"`error`, `handle_errors`", site(s.app("c1"), alone+directive("error")+directive("handle_errors")), ""},
		{"asked for gzip", site(s.app("c2"), alone), gzip},
		{"`encode`, asked for gzip", site(s.app("c3"), encode+alone), gzip},
		{"`metrics`", site(s.app("c4")+metrics, alone), ""},
		{"`rodata_log`", site(s.app("c5"), directive("rodata_log")+alone), ""},
		{"Caddy's `log`, `log_append`", site(s.app("c6"), offered("log")+offered("log_append")+alone), ""},
		{"the shipped file", s.shippedFile("c7", ""), ""},
		{"the shipped file, asked for gzip", s.shippedFile("c8", ""), gzip},
		{"the shipped file and `metrics`", s.shippedFile("c9", metrics), ""},
	} {
		if i > 0 && !only.MatchString(c.name) {
			continue
		}

		t, err := s.configured(ctx, fmt.Sprintf("c%d", i), c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}

		targets = append(targets, t)
	}

	return targets, nil
}

func (s *testbed) configured(ctx context.Context, name string, c configuration) (*target, error) {
	server, err := s.caddy(ctx, name, c.caddyfile)
	if err != nil {
		return nil, err
	}

	path := s.companyPath()
	body, err := server.warm(ctx, path)
	if err != nil {
		return nil, err
	}

	right := func(got []byte) bool { return bytes.Equal(got, body) }
	if c.header != "" { // a compressed body differs
		right = func(got []byte) bool { return len(got) > 0 && len(got) < len(body) }
	}

	request := bytes.TrimSuffix(get(server.address, path), []byte("\r\n"))
	return &target{c.name, server, fmt.Appendf(request, "%s\r\n", c.header), right}, nil
}

// shippedFile returns the shipped Caddyfile without TLS, changed for a measurement.
func (s *testbed) shippedFile(name, global string) string { return s.shippedWith(name, quiet+global) }

// shippedWith returns the shipped Caddyfile with global options and the changes for a measurement: another directory,
// stand-ins for the registries, no rate limit, and no trade register, because it would change the body of the company.
func (s *testbed) shippedWith(name, global string) string {
	text := strings.Replace(string(rodata.Caddyfile), "\n{\n", "\n{"+global, 1)
	for old, changed := range map[string]string{
		"{$RODATA_ADDRESS:localhost}": "ADDRESS",
		"{$RODATA_BIND}":              "127.0.0.1",
		"{env.RODATA_DATA_DIR}":       filepath.Join(s.folder, name+".data"),
		"{env.RODATA_ANAF_URL}":       s.registries.ANAF.URL,
		"{env.RODATA_ANAF_FILES_URL}": s.registries.Files.URL,
		"{env.RODATA_BNR_URL}":        s.registries.BNR.URL,
		"{env.RODATA_ONRC_URL}":       s.registries.ONRC.URL,
		"{env.RODATA_VIES_URL}":       s.registries.VIES.URL,
		"#anonymous {":                "anonymous 1000000 1000000\n\t\t# {",
		"upstream onrc {":             "upstream onrc {\n\t\t\toff",
	} {
		if !strings.Contains(text, old) {
			panic("the shipped Caddyfile does not hold " + old)
		}
		text = strings.ReplaceAll(text, old, changed)
	}

	return text
}

// directive returns a directive of the shipped site, with its block.
func directive(name string) string { return find(name, rodata.Caddyfile) }

// offered returns a directive that is commented out in the shipped site.
func offered(name string) string {
	comments := regexp.MustCompile(`(?m)^\t#.*$`).FindAll(rodata.Caddyfile, -1)
	text := bytes.Join(comments, []byte("\n"))
	return find(name, bytes.ReplaceAll(append([]byte("\n"), text...), []byte("\n\t#"), []byte("\n\t")))
}

func find(name string, caddyfile []byte) string {
	found := regexp.MustCompile(`(?ms)^\t` + name + `(?: \{$.*?^\t\}$|\b[^\n]*$)`).Find(caddyfile)
	if found == nil {
		panic("the shipped Caddyfile has no directive " + name)
	}
	return string(found) + "\n"
}
