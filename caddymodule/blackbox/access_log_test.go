package blackbox

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// withCaddysLog turns on Caddy's own access log, which is commented out in the shipped file.
func withCaddysLog(t *testing.T) func(*gateway) {
	return func(g *gateway) {
		start, end := bytes.Index(rodata.Caddyfile, []byte("\n\t#log {\n")),
			bytes.Index(rodata.Caddyfile, []byte("\t#log_append "))
		if start < 0 || end < start {
			t.Fatal("the shipped Caddyfile does not offer Caddy's log")
		}

		uncommented := regexp.MustCompile(`(?m)^\t#`).ReplaceAll(rodata.Caddyfile[start:end], []byte("\t"))
		with := adapt(t, bytes.Replace(rodata.Caddyfile, rodata.Caddyfile[start:end], uncommented, 1))
		g.config["logging"] = with["logging"]
		for name, server := range servers(with) {
			servers(g.config)[name].(object)["logs"] = server.(object)["logs"]
		}
	}
}

// The log has a line for every request: calls, tool calls, pages, files, and errors of the gateway and of Caddy. A
// line contains the route but no other part of the address.
func TestAccessLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.json")
	g := start(t, logTo(log))
	cui := company(t)
	asJSON := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	asked := []struct {
		method, path string
		request
		want object
	}{
		{"GET", "/v1/companies/" + cui, request{header: map[string]string{"X-Request-Id": "call-1"}}, object{
			"route": "/v1/companies/{cui}", "status": 200.0, "operation": "get_company", "channel": "rest",
			"cache": "MISS",
			"age":   0.0, "credits": 0.0, "request_id": "call-1", "address": "127.0.0.1",
		}},
		{"GET", "/v1/companies/" + cui, request{}, object{"cache": "HIT", "request_id": nil, "upstream_duration": nil}},
		{"HEAD", "/v1/companies/" + cui, request{},
			object{"method": "HEAD", "status": 200.0, "operation": "get_company"}},
		{"GET", "/v1/companies/1", request{}, object{
			"route": "/v1/companies/{cui}", "status": 400.0, "problem": "invalid-request", "cache": nil,
		}},
		{"GET", "/v1/companies?q=" + cui + "&nothing=1", request{}, object{"route": "/v1/companies", "status": 400.0}},
		{"POST", "/v1/plans", request{}, object{"route": "/v1/plans", "status": 405.0, "operation": nil}},
		{"OPTIONS", "/v1/plans", request{},
			object{"method": "OPTIONS", "route": "/v1/plans", "status": 204.0, "bytes": 0.0}},
		{"GET", "/v1/" + cui, request{}, object{"route": nil, "status": 404.0, "operation": nil}},
		{"GET", "/" + cui, request{}, object{"route": nil, "status": 404.0}},
		{"GET", "/" + cui, request{header: map[string]string{"Accept": "text/html"}},
			object{"route": nil, "status": 404.0}},
		{"GET", "/openapi.json", request{}, object{"route": "/openapi.json", "status": 200.0}},
		{"GET", "/problems/not-found", request{}, object{"route": "/problems/{kind}", "status": 200.0}},
		{"GET", "/api/auth/" + cui, request{}, object{"route": nil, "status": 404.0}},
		{"GET", "/docs", request{}, object{"route": "/docs", "status": 200.0}},
		{"GET", "/companies/" + cui, request{}, object{"route": "/companies/{cui}", "status": 200.0}},
		{"GET", "/bilant?cui=" + cui + "&an=2024", request{}, object{"route": "/bilant"}},
		{"POST", "/mcp", request{header: asJSON, body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}, object{
			"route": "/mcp", "status": 200.0, "operation": nil,
		}},
		{"POST", "/mcp", toolCallOf("", "get_company", `{"cui":"19"}`), object{
			"route": "/mcp", "status": 200.0, "operation": "get_company", "channel": "mcp", "operation_status": 404.0,
			"problem": "not-found",
		}},
	}
	mailed, err := http.DefaultTransport.RoundTrip(httptest.NewRequest("GET",
		g.url+"/api/auth/reset-password/"+cui, nil))
	testkit.NoError(t, err)

	mailed.Body.Close() // it redirects

	var sent []int
	for _, a := range asked {
		sent = append(sent, len(g.do(t, a.method, a.path, a.request).body))
	}

	lines := g.accessLog(t, log)
	if first := lines[0]; first["route"] != "/api/auth/reset-password/{token}" || first["status"] != 302.0 {
		t.Errorf("a link that was mailed is logged as %v", first)
	}

	lines = lines[1:]
	if len(lines) != len(asked) {
		t.Fatalf("%d requests are %d lines: %v", len(asked), len(lines), lines)
	}

	for i, a := range asked {
		line := lines[i]
		for field, want := range a.want {
			if line[field] != want {
				t.Errorf("%s %s: %s is %v, want %v: %v", a.method, a.path, field, line[field], want, line)
			}
		}

		if line["method"] != a.method || line["duration"].(float64) <= 0 {
			t.Errorf("%s %s is logged as %v", a.method, a.path, line)
		}
		// The client may have decompressed the body, so only an empty one can be compared exactly.
		if got := int(line["bytes"].(float64)); got > sent[i] || (got == 0) != (sent[i] == 0) {
			t.Errorf("%s %s: %d bytes are logged, and %d were sent", a.method, a.path, got, sent[i])
		}
		if text := fmt.Sprint(line); strings.Contains(text, cui) {
			t.Errorf("%s %s: the address is logged: %s", a.method, a.path, text)
		}
	}
}

// Reloads under load neither lose a line nor write one twice, whether they keep the log file or change it.
func TestReloadsLoseNoLine(t *testing.T) {
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}
	g := start(t, logTo(files[0]))
	var callers sync.WaitGroup
	done := make(chan struct{})
	answered := make([]int, 4)
	for caller := range answered {
		callers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}

				id := fmt.Sprintf("caller-%d-%d", caller, answered[caller])
				g.do(t, "GET", "/v1/plans", request{header: map[string]string{"X-Request-Id": id}})
				answered[caller]++
			}
		})
	}

	for i := range 6 {
		logTo(files[i/2%2])(g) // every second reload changes the file
		if err := g.load(); err != nil {
			t.Error(err)
		}
	}

	close(done)
	callers.Wait()
	g.stop(t)

	var logged []byte
	for _, file := range files {
		content, err := os.ReadFile(file)
		testkit.NoError(t, err)

		logged = append(logged, content...)
	}

	for caller, n := range answered {
		for i := range n {
			if id := fmt.Sprintf(`"request_id":"caller-%d-%d"`, caller, i); bytes.Count(logged, []byte(id)) != 1 {
				t.Errorf("%d lines have %s", bytes.Count(logged, []byte(id)), id)
			}
		}
	}

	t.Logf("%v requests", answered)
}

// The file is rotated like Caddy's own log files.
func TestAccessLogIsRotatedLong(t *testing.T) {
	long.Only(t, "waits for seconds")
	dir := t.TempDir()
	g := start(t, writeLogs(object{
		"output": "file", "filename": filepath.Join(dir, "access.log"), "roll_size_mb": 1, "roll_gzip": false,
	}))
	header := map[string]string{"X-Request-Id": strings.Repeat("x", 64)}
	const requests = 6000
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for range requests / 4 {
				g.do(t, "GET", "/health", request{header: header})
			}
		})
	}

	callers.Wait()
	g.stop(t)

	files, err := filepath.Glob(filepath.Join(dir, "access*.log"))
	if err != nil || len(files) < 2 {
		t.Fatalf("the files are %v: %v", files, err)
	}

	lines := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil || len(content) > 1<<20 {
			t.Errorf("%s has %d bytes: %v", file, len(content), err)
		}

		lines += bytes.Count(content, []byte(`"rodata.access"`))
	}

	if lines != requests {
		t.Errorf("%d lines for %d requests", lines, requests)
	}
}
