package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// measureHit compares a cache hit for a company over REST with the same bytes from Caddy's own respond handler in the
// same site block and from Varnish's memory, with the same call as an MCP tool, and with the verdict on the company.
func measureHit(f *flag.FlagSet) func(context.Context, *testbed) error {
	rounds := f.Int("rounds", 5, "rounds, of which the medians are printed")
	duration := f.Duration("time", 3*time.Second, "length of one server's part of a round")
	connections := f.String("connections", "32,256", "numbers of keep-alive connections, separated by commas")
	return func(ctx context.Context, s *testbed) error {
		c, err := s.comparison(ctx)
		if err != nil {
			return err
		}

		fmt.Printf("get_company from the cache, %d bytes, HTTP/1.1 keep-alive; medians of %d rounds of %s\n\n", c.bytes,
			*rounds, *duration)
		printHeader("connections", "handler", "req/s", "CPU us a request", "p50", "p99")
		for text := range strings.SplitSeq(*connections, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return fmt.Errorf("-connections %s: want numbers separated by commas", *connections)
			}

			loads, err := interleave(ctx, c.targets, *rounds, schedule{duration: *duration, connections: n})
			if err != nil {
				return err
			}

			c.report(n, loads)
		}

		return nil
	}
}

// comparison has the targets, and the pairs of targets for which ratios are printed.
type comparison struct {
	targets []*target
	by      []pair
	bytes   int
}

// pair is two targets by index.
type pair struct{ ours, theirs int }

// comparison starts all servers, with the company in their caches.
func (s *testbed) comparison(ctx context.Context) (*comparison, error) {
	path := s.companyPath()
	rodata, err := s.caddy(ctx, "rodata", site(s.app("rodata"), "\trodata\n"))
	if err != nil {
		return nil, err
	}

	body, err := rodata.warm(ctx, path)
	if err != nil {
		return nil, err
	}

	if _, err := rodata.warm(ctx, path+"/verdict"); err != nil {
		return nil, err
	}

	respond, err := s.caddy(ctx, "respond", site("", "\trespond `"+string(body)+"`\n"))
	if err != nil {
		return nil, err
	}

	mcp, err := s.caddy(ctx, "mcp", site(s.app("mcp"), "\trodata\n\trodata_mcp\n"))
	if err != nil {
		return nil, err
	}

	if _, err := mcp.warm(ctx, path); err != nil {
		return nil, err
	}

	exactly := func(got []byte) bool { return bytes.Equal(got, body) }
	isResult := func(got []byte) bool {
		return bytes.Contains(got, []byte(`"ro.rodata/cache":"HIT"`)) &&
			bytes.Contains(got, []byte(`"structuredContent":{"taxId":`))
	}
	isVerdict := func(got []byte) bool { return bytes.Contains(got, []byte(`"rulesVersion"`)) }
	company := s.companies[0].CUI.String()
	c := &comparison{bytes: len(body), by: []pair{{0, 1}, {2, 0}, {3, 0}, {4, 0}}, targets: []*target{
		{"rodata", rodata, get(rodata.address, path), exactly},
		{"respond", respond, get(respond.address, path), exactly},
		{"rodata_mcp", mcp, toolCall(mcp.address, company, false), isResult},
		{"rodata_mcp, 2026-07-28", mcp, toolCall(mcp.address, company, true), isResult},
		{"rodata, verdict", rodata, get(rodata.address, path+"/verdict"), isVerdict},
	}}

	varnish, err := s.varnish(ctx, path, body)
	if errors.Is(err, errNoVarnish) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return c, s.closeRegistries()
	}
	if err != nil {
		return nil, err
	}

	c.targets = append(c.targets, &target{"varnish", varnish, get(varnish.address, path), exactly})
	c.by = append(c.by, pair{0, len(c.targets) - 1})
	return c, s.closeRegistries()
}

// warm requests a path until every part of the answer comes from the cache, and returns the answer.
func (s *server) warm(ctx context.Context, path string) (body []byte, err error) {
	err = eventually(ctx, func() error {
		body, err = fetch(s.address, get(s.address, path))
		hit, miss := bytes.Contains(body, []byte(`"cache":"HIT"`)), bytes.Contains(body, []byte(`"cache":"MISS"`))
		if err == nil && (!hit || miss) {
			err = errors.New("a part of the answer does not come from the cache")
		}

		return err
	})
	return body, err
}

// toolCall returns the request of a tool call for a company, in revision 2026-07-28 or in an older one.
func toolCall(address, cui string, isModern bool) []byte {
	header, meta := "", ""
	if isModern {
		header = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: get_company\r\n"
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` +
			`{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}

	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_company","arguments":{"cui":"` +
		cui + `"}` + meta + `}}`
	return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s", address, header, len(message),
		message)
}

// report prints a row for each target and for each pair.
func (c *comparison) report(connections int, loads [][]*load) {
	for i, t := range c.targets {
		fmt.Printf("| %d | %s | %.0f | %.1f | %s | %s |\n", connections, t.name,
			median(loads[i], (*load).rate), median(loads[i], (*load).cpuPerRequest),
			medianLatency(loads[i], 0.50), medianLatency(loads[i], 0.99))
	}

	for _, p := range c.by {
		rates := ratios(loads[p.ours], loads[p.theirs], (*load).rate)
		cpus := ratios(loads[p.ours], loads[p.theirs], (*load).cpuPerRequest)
		fmt.Printf("| %d | **%s to %s** | %s | **%.2f** | | |\n", connections, c.targets[p.ours].name,
			c.targets[p.theirs].name, rates, cpus.median())
	}
}
