package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/testkit/loopback"
)

// measureProtocols compares a cache hit with Caddy's own respond handler, which sends the same body, under each
// protocol. It does so for sites with no other handler and for the shipped Caddyfile. The load generator is h2load from
// nghttp2, which supports all the protocols.
func measureProtocols(f *flag.FlagSet) func(context.Context, *testbed) error {
	rounds := f.Int("rounds", 5, "rounds, of which the medians are printed")
	duration := f.Duration("time", 3*time.Second, "length of one target's part of a round")
	connections := f.Int("connections", 32, "number of connections")
	streams := f.Int("streams", 10, "number of concurrent requests on each connection of HTTP/2")
	return func(ctx context.Context, s *testbed) error {
		h2load, err := exec.LookPath("h2load")
		if err != nil {
			return errors.New("h2load is not installed; apt-get install --no-install-recommends nghttp2-client")
		}

		alone, err := s.aloneContenders(ctx)
		if err != nil {
			return err
		}

		shipped, err := s.shippedContenders(ctx)
		if err != nil {
			return err
		}
		if err := s.closeRegistries(); err != nil { // nothing may be fetched during the run
			return err
		}

		var contests [][]*protocolTarget
		for _, group := range [][]contender{alone, shipped} {
			for _, p := range protocols {
				contest, err := s.contest(ctx, group, p)
				if err != nil {
					return err
				}

				for _, t := range contest {
					t.h2load, t.streams = h2load, *streams
				}

				contests = append(contests, contest)
			}
		}

		loads, err := interleave(ctx, slices.Concat(contests...), *rounds,
			schedule{duration: *duration, connections: *connections})
		if err != nil {
			return err
		}

		fmt.Printf("get_company from the cache, %d connections, with %d streams each over HTTP/2; medians of %d "+
			"rounds of %s\n\n", *connections, *streams, *rounds, *duration)
		printHeader("protocol", "handler", "req/s", "CPU us a request")
		for _, contest := range contests {
			reportContest(contest, loads[:len(contest)])
			loads = loads[len(contest):]
		}

		return nil
	}
}

// reportContest prints a row for each target, and a row for the ratio of the first target to each other one.
func reportContest(targets []*protocolTarget, loads [][]*load) {
	for i, t := range targets {
		fmt.Printf("| %s | %s | %.0f | %.1f |\n", t.protocol.name, t.name,
			median(loads[i], (*load).rate), median(loads[i], (*load).cpuPerRequest))
	}

	for i, t := range targets[1:] {
		rates := ratios(loads[0], loads[i+1], (*load).rate)
		cpus := ratios(loads[0], loads[i+1], (*load).cpuPerRequest)
		fmt.Printf("| %s | **%s to %s** | %s | **%.2f** |\n", t.protocol.name, targets[0].name, t.name, rates,
			cpus.median())
	}
}

// protocol is an HTTP version, with or without TLS.
type protocol struct {
	name, scheme string
	major        int // of the HTTP version
}

var protocols = []protocol{
	{"HTTP/1.1", "http", 1},
	{"HTTP/1.1, TLS", "https", 1},
	{"HTTP/2, TLS", "https", 2},
}

// contender is a server that sends a company's profile over HTTP and TLS.
type contender struct {
	name    string
	server  *server
	overTLS string // the address
	body    []byte
}

// aloneContenders starts three sites with one handler each: the gateway, respond with Caddy's own headers, and respond
// with the headers of a hit.
func (s *testbed) aloneContenders(ctx context.Context) ([]contender, error) {
	bare := func(global, directives string) string {
		return "{" + quietWithTLS + "\tdefault_bind 127.0.0.1\n" + global + "}\nADDRESS {\n" + directives + "}\n"
	}
	ours, err := s.contender(ctx, "rodata", bare(s.app("rodata"), "\trodata\n"), nil)
	if err != nil {
		return nil, err
	}

	plain := &protocolTarget{protocol: protocols[0], url: "http://" + ours.server.address + s.companyPath()}
	header, _, err := plain.fetch(ctx)
	if err != nil {
		return nil, err
	}

	respond, err := s.contender(ctx, "respond", bare("", respondWith(ours.body)), ours.body)
	if err != nil {
		return nil, err
	}

	same, err := s.contender(ctx, "respond with our headers", bare("", sameHeaders(header)+respondWith(ours.body)),
		ours.body)
	return []contender{ours, respond, same}, err
}

// shippedContenders starts the shipped Caddyfile, and the same file with respond instead of the gateway.
func (s *testbed) shippedContenders(ctx context.Context) ([]contender, error) {
	file := func(name string) string { return s.shippedWith(name, quietWithTLS) }
	ours, err := s.contender(ctx, "shipped file", file("shipped"), nil)
	if err != nil {
		return nil, err
	}

	// Caddy runs error before respond.
	changes := strings.NewReplacer("\trodata\n", respondWith(ours.body), "\terror 404\n", "")
	replaced := changes.Replace(file("shipped-respond"))
	respond, err := s.contender(ctx, "shipped file with respond", replaced, ours.body)
	return []contender{ours, respond}, err
}

func respondWith(body []byte) string { return "\trespond `" + string(body) + "`\n" }

// contender starts a server with a Caddyfile in which ADDRESS stands for its addresses. The server must send body. If
// body is nil, the server is a gateway, and its answer from the cache becomes the body.
func (s *testbed) contender(ctx context.Context, name, caddyfile string, body []byte) (contender, error) {
	c := contender{name: name, overTLS: loopback.FreeAddress(), body: body}
	config := strings.ReplaceAll(caddyfile, "ADDRESS", "ADDRESS, https://"+c.overTLS)
	var err error
	if c.server, err = s.caddy(ctx, name, config); err != nil {
		return c, err
	}
	if body == nil {
		c.body, err = c.server.warm(ctx, s.companyPath())
	}

	return c, err
}

// protocolTarget is a URL that h2load requests from a server.
type protocolTarget struct {
	name     string
	server   *server
	protocol protocol
	url      string
	folder   string // of Caddy's data
	h2load   string // the program
	streams  int    // over HTTP/2
}

// contest returns the contenders as targets under a protocol. It has checked the answer of each.
func (s *testbed) contest(ctx context.Context, group []contender, p protocol) (targets []*protocolTarget, err error) {
	for _, c := range group {
		address := c.server.address
		if p.scheme == "https" {
			address = c.overTLS
		}

		t := &protocolTarget{name: c.name, server: c.server, protocol: p,
			url: p.scheme + "://" + address + s.companyPath(), folder: s.folder}
		// The server has to create its certificates first.
		if err := eventually(ctx, func() error { return t.check(ctx, c.body) }); err != nil {
			return nil, fmt.Errorf("%s: %w", t.url, err)
		}

		targets = append(targets, t)
	}

	return targets, nil
}

// quietWithTLS is like quiet, but serves TLS with certificates of Caddy's own authority.
const quietWithTLS = `
	admin off
	persist_config off
	auto_https disable_redirects
	skip_install_trust
`

// sameHeaders returns a directive that sends the headers of an answer in addition to the web server's own headers.
func sameHeaders(header http.Header) string {
	var b strings.Builder
	b.WriteString("\theader {\n")
	for name, values := range header {
		if name != "Date" && name != "Content-Length" {
			fmt.Fprintf(&b, "\t\t%s `%s`\n", name, values[0])
		}
	}

	b.WriteString("\t}\n")
	return b.String()
}

// check checks that the target answers under its protocol with the expected body.
func (t *protocolTarget) check(ctx context.Context, want []byte) error {
	_, body, err := t.fetch(ctx)
	if err == nil && !bytes.Equal(body, want) {
		err = fmt.Errorf("a wrong answer: %s", body)
	}
	return err
}

// fetch sends a request under the target's protocol. Any status other than 200 is an error.
func (t *protocolTarget) fetch(ctx context.Context) (header http.Header, body []byte, err error) {
	transport := &http.Transport{DisableCompression: true, Protocols: new(http.Protocols)}
	if t.protocol.scheme == "https" {
		roots, err := internalRoots(t.folder)
		if err != nil {
			return nil, nil, err
		}

		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}
	}

	transport.Protocols.SetHTTP1(t.protocol.major == 1)
	transport.Protocols.SetHTTP2(t.protocol.major == 2)
	defer transport.CloseIdleConnections()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
	if err != nil {
		return nil, nil, err
	}

	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()

	if body, err = io.ReadAll(response.Body); err != nil {
		return nil, nil, err
	}
	if response.StatusCode != 200 || response.ProtoMajor != t.protocol.major {
		return nil, nil, fmt.Errorf("answered %s %s: %s", response.Proto, response.Status, body)
	}

	return response.Header, body, nil
}

// run runs h2load once. Every answer must have a 2xx status.
func (t *protocolTarget) run(ctx context.Context, s schedule) (*load, error) {
	args := []string{"--clients=" + strconv.Itoa(s.connections),
		"--duration=" + strconv.FormatInt(s.duration.Milliseconds(), 10) + "ms"}
	if t.protocol.major == 1 {
		args = append(args, "--h1")
	} else {
		args = append(args, "--max-concurrent-streams="+strconv.Itoa(t.streams))
	}

	cpu := t.server.cpu()
	out, err := exec.CommandContext(ctx, t.h2load, append(args, t.url)...).CombinedOutput()
	cpu = t.server.cpu() - cpu
	if err != nil {
		return nil, fmt.Errorf("h2load %s: %w\n%s", t.url, err, out)
	}

	requests, err := answered(out)
	if err != nil {
		return nil, fmt.Errorf("h2load %s: %w\n%s", t.url, err, out)
	}

	return &load{seconds: s.duration.Seconds(), cpu: cpu, requests: requests}, nil
}

// answered returns the number of requests in h2load's report. It fails if a request failed. When the time is over, the
// report may count the status of a request that has not been answered completely.
func answered(report []byte) (requests int, err error) {
	_, counts, _ := bytes.Cut(report, []byte("\nrequests: "))
	var total, started, done, succeeded, failed, errored, timeout, right, redirected, refused, broken int
	_, err = fmt.Sscanf(string(counts), "%d total, %d started, %d done, %d succeeded, %d failed, %d errored, "+
		"%d timeout\nstatus codes: %d 2xx, %d 3xx, %d 4xx, %d 5xx", &total, &started, &done, &succeeded, &failed,
		&errored, &timeout, &right, &redirected, &refused, &broken)
	if err != nil {
		return 0, fmt.Errorf("reading the report: %w", err)
	}

	wrong := failed + errored + timeout + redirected + refused + broken
	if done == 0 || total != done || succeeded != done || right < done || right > started || wrong > 0 {
		return 0, errors.New("not every request was answered with a status of 2xx")
	}

	return done, nil
}
