package blackbox

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/standin"
)

// connect opens a bare connection to the gateway.
func (g *gateway) connect(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	testkit.NoError(t, err)

	t.Cleanup(func() { c.Close() })
	testkit.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))

	return c
}

// send sends raw bytes and reads one answer.
func (g *gateway) send(t *testing.T, raw string) answer {
	t.Helper()
	c := g.connect(t)
	if _, err := io.WriteString(c, raw); err != nil {
		t.Fatal(err)
	}

	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	testkit.NoError(t, err)
	defer res.Body.Close()

	body, err := io.ReadAll(res.Body)
	testkit.NoError(t, err)

	return answer{res, body}
}

// Ambiguous requests, which two parsers could interpret differently, are rejected, or there is only one interpretation.
// Invalid HTTP never reaches the gateway: the web server answers with a line of text, and closes the connection.
func ambiguousRequests(t *testing.T, g *gateway) {
	const post = "POST /v1/contact HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n"
	for name, c := range map[string]struct {
		raw    string
		status int
		slug   string // of the problem; empty for the web server's own answer
	}{
		"two lengths":             {post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", 400, ""},
		"length with a sign":      {post + "Content-Length: +2\r\n\r\n{}", 400, ""},
		"unknown transfer coding": {post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501, ""},
		"space before the colon":  {post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400, ""},
		"bare carriage return":    {"GET /v1/plans HTTP/1.1\r\nHost: HOST\r\nX-A: a\rX-B: b\r\n\r\n", 400, ""},
		"zero byte":               {"GET /v1/plans HTTP/1.1\r\nHost: HOST\r\nX-A: \x00\r\n\r\n", 400, ""},
		"no host":                 {"GET /v1/plans HTTP/1.1\r\n\r\n", 400, ""},
		"two hosts":               {"GET /v1/plans HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n", 400, ""},
		"another protocol":        {"GET /v1/plans HTTP/3.9\r\nHost: HOST\r\n\r\n", 505, ""},
		"header of 64 kB": {"GET /v1/plans HTTP/1.1\r\nHost: HOST\r\nX-A: " + strings.Repeat("a",
			64<<10) + "\r\n\r\n", 431, ""},
		// The chunks determine the length.
		"length and chunks": {post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
			400, "invalid-request"},
		"unknown method": {"FOO /v1/plans HTTP/1.1\r\nHost: HOST\r\n\r\n", 405, "method-not-allowed"},
		"method with a body": {"DELETE /v1/plans HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}", 405,
			"method-not-allowed"},
		"path that climbs":           {"GET /v1/../../etc/passwd HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, "not-found"},
		"address of another machine": {"GET http://HOST/v1/nothing HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, "not-found"},
	} {
		t.Run(name, func(t *testing.T) {
			got := g.send(t, strings.ReplaceAll(c.raw, "HOST", strings.TrimPrefix(g.url, "http://")))
			if c.slug != "" {
				got.problem(t, c.status, c.slug)
				return
			}
			if got.StatusCode != c.status || !got.Close || len(got.body) == 0 {
				t.Errorf("got %d, closing: %v, %q", got.StatusCode, got.Close, got.body)
			}
		})
	}
}

// Clients that do not finish a request are disconnected, and do not affect others in the meantime.
func TestUnfinishedRequestsLong(t *testing.T) {
	long.Only(t, "waits for seconds")
	g := start(t, func(g *gateway) {
		server := servers(g.config)["srv0"].(object)
		server["read_header_timeout"], server["read_timeout"] = "1s", "1s"
	})
	const header = "GET /v1/plans HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "
	const body = "POST /v1/contact HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	began := time.Now()
	var unfinished []net.Conn
	for range 200 {
		c := g.connect(t)
		if _, err := io.WriteString(c, header); err != nil {
			t.Fatal(err)
		}

		unfinished = append(unfinished, c)
	}

	slowest := time.Duration(0)
	for range 20 {
		asked := time.Now()
		if got := g.get(t, "/v1/plans"); got.StatusCode != http.StatusOK {
			t.Errorf("got %d", got.StatusCode)
		}

		slowest = max(slowest, time.Since(asked))
	}

	if slowest > within(t, 500*time.Millisecond) {
		t.Errorf("another caller waited for %s", slowest)
	}

	unfinishedBody := strings.ReplaceAll(body, "HOST", strings.TrimPrefix(g.url, "http://"))
	g.send(t, unfinishedBody).problem(t, http.StatusBadRequest, "invalid-request")
	g.trickle(t, unfinishedBody)
	for _, c := range unfinished {
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Fatalf("still open: %v", err)
		}
	}

	if took := time.Since(began); took > within(t, 5*time.Second) {
		t.Errorf("the last was cut after %s", took)
	}
}

// trickle sends the rest of a body one byte at a time, so that it never stops and would take ten seconds, and expects
// to be disconnected.
func (g *gateway) trickle(t *testing.T, request string) {
	t.Helper()
	c := g.connect(t)
	go func() {
		for {
			if _, err := io.WriteString(c, request); err != nil {
				return
			}

			request = "a"
			<-time.After(100 * time.Millisecond)
		}
	}()
	began := time.Now()
	if _, err := io.Copy(io.Discard, c); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("still open: %v", err)
	}
	if took := time.Since(began); took > 4*time.Second { // the body takes ten
		t.Errorf("it was cut after %s", took)
	}
}

// The limit for slow requests does not apply to the answer.
func TestSlowAnswerIsNoSlowRequestLong(t *testing.T) {
	long.Only(t, "waits for seconds")
	g := start(t, func(g *gateway) { servers(g.config)["srv0"].(object)["read_timeout"] = "1s" })
	g.registries.ANAF.Always(standin.Delay(1500 * time.Millisecond))
	paths := companies(t)
	if got := g.get(t, paths[0]); got.StatusCode != http.StatusOK {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}

	_, cui, _ := strings.Cut(paths[1], "/v1/companies/")
	got := g.do(t, "POST", "/mcp", request{
		header: map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"},
		body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_company","arguments":{"cui":"` +
			cui + `"}}}`,
	})
	if got.StatusCode != http.StatusOK || !strings.Contains(string(got.body), `"ro.rodata/status":200`) {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}

// Every answer has a Content-Length and is not chunked. No answer names the server software.
func answersSayTheirLength(t *testing.T, g *gateway) {
	var shortest, longest int64 = 1 << 30, 0
	for _, path := range []string{companies(t)[0], "/v1/companies/1", "/v1/counties", "/v1/plans", "/openapi.json"} {
		got := g.send(t, "GET "+path+" HTTP/1.1\r\nHost: "+strings.TrimPrefix(g.url,
			"http://")+"\r\nAccept-Encoding: identity\r\n\r\n")
		if got.ContentLength != int64(len(got.body)) || got.ContentLength == 0 {
			t.Errorf("%s: %d bytes are announced, %d come", path, got.ContentLength, len(got.body))
		}
		if server := got.Header["Server"]; server != nil {
			t.Errorf("%s: names the server %q", path, server)
		}

		shortest, longest = min(shortest, got.ContentLength), max(longest, got.ContentLength)
	}

	if shortest > 2<<10 || longest <= 2<<10 {
		t.Errorf("answers have %d to %d bytes; some must be below and some above the length up to which net/http "+
			"sets Content-Length", shortest, longest)
	}
}
