package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata"
	"github.com/rodata/rodata/testkit"
)

// With any source of the Caddyfile, a request for an unknown host gets a 421 with a problem, and a gateway with the
// address 127.0.0.1 cannot be reached from other machines.
func TestRunGuardsItsHosts(t *testing.T) {
	for name, place := range map[string]struct {
		file  string
		flags []string
	}{
		"in the program": {},
		"in the folder":  {file: "Caddyfile"},
		"named, with an adapter": {file: "rodata.conf",
			flags: []string{"--config", "rodata.conf", "--adapter", "caddyfile"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			p.bind, p.flags = "", place.flags
			if place.file != "" {
				testkit.NoError(t, os.WriteFile(filepath.Join(p.dir, place.file), rodata.Caddyfile, 0o600))
			}

			p.start(t)
			for _, path := range []string{"/", "/v1/plans", "/health", "/mcp"} {
				p.misdirected(t, http.DefaultClient, path)
			}

			_, port, _ := net.SplitHostPort(strings.TrimPrefix(p.url, "http://"))
			// 127.0.0.2 is also a loopback address: only a listener on all addresses of the machine accepts
			// connections on it.
			if c, err := net.Dial("tcp", "127.0.0.2:"+port); err == nil {
				c.Close()
				t.Error("it listens on addresses other than 127.0.0.1")
			}
		})
	}
}

// misdirected sends requests for another host.
func (p *program) misdirected(t *testing.T, client *http.Client, path string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
	testkit.NoError(t, err)

	r.Host = "other.example.ro"
	res, err := client.Do(r)
	testkit.NoError(t, err)
	defer res.Body.Close()

	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusMisdirectedRequest ||
		res.Header.Get("Content-Type") != "application/problem+json" ||
		!strings.Contains(string(body), `/problems/misdirected-request"`) {
		t.Errorf("%s of another host: got %d %s, %v", path, res.StatusCode, body, err)
	}

	r.Header.Set("Accept", "text/html")
	res, err = client.Do(r)
	testkit.NoError(t, err)
	defer res.Body.Close()

	if page, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusMisdirectedRequest ||
		!strings.Contains(string(page), "<h1>This host name is not served here</h1>") {
		t.Errorf("%s of another host in a browser: got %d %s, %v", path, res.StatusCode, page, err)
	}
}

func TestGuard(t *testing.T) {
	for name, c := range map[string]struct {
		caddyfile string
		listen    string // of the gateway's server
		answers   bool   // for other hosts
	}{
		"an address of this machine": {"http://127.0.0.1:8080 {\n rodata\n}", "[127.0.0.1:8080]", true},
		"its addresses of both families": {"http://127.0.0.1:8080, http://[::1]:8080 {\n rodata\n}",
			"[127.0.0.1:8080 [::1]:8080]", true},
		"its name":                 {"localhost {\n rodata\n}", "[:443]", true},
		"its address and its name": {"http://127.0.0.1:8080, http://localhost:8080 {\n rodata\n}", "[:8080]", true},
		"a domain":                 {"api.example.ro {\n rodata\n}", "[:443]", true},
		"bound elsewhere":          {"http://127.0.0.1:8080 {\n bind 0.0.0.0\n rodata\n}", "[0.0.0.0:8080]", true},
		"all hosts":                {"http://:8080 {\n rodata\n}", "[:8080]", false},
		"all hosts beside a domain": {"http://:8080 {\n respond hello\n}\nhttp://api.example.ro:8080 {\n rodata\n}",
			"[:8080]", false},
		"another program's site": {"http://127.0.0.1:8080 {\n respond hello\n}", "[:8080]", false},
	} {
		t.Run(name, func(t *testing.T) {
			adapted, _, err := new(shippedAdapter).Adapt([]byte(c.caddyfile), map[string]any{"filename": "Caddyfile"})
			testkit.NoError(t, err)

			var config struct {
				Apps struct {
					HTTP struct {
						Servers map[string]struct{ Listen []string }
					}
				}
			}
			testkit.NoError(t, json.Unmarshal(adapted, &config))
			if got := fmt.Sprint(config.Apps.HTTP.Servers["srv0"].Listen); got != c.listen {
				t.Errorf("it listens on %s, want %s", got, c.listen)
			}
			if got := strings.Contains(string(adapted), "421"); got != c.answers {
				t.Errorf("it answers for other hosts: %t, want %t", got, c.answers)
			}
		})
	}
}
