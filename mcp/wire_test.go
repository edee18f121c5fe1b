package mcp

import (
	"bufio"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// overSocket serves the fixtures through a separate Caddy, and returns a client that does not decompress answers.
func overSocket(t *testing.T) *http.Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	serveFixtures(t, "unix/"+socket)
	transport := &http.Transport{DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// outgoing returns a client's request; header has alternating names and values.
func outgoing(ctx context.Context, method, address, body string, header ...string) *http.Request {
	r := testkit.Must(http.NewRequestWithContext(ctx, method, address+Path, strings.NewReader(body)))
	setAll(r.Header, append([]string{"Content-Type", "application/json", "Accept",
		"application/json, text/event-stream"}, header...))
	return r
}

func post(t *testing.T, client *http.Client, address, body string, header ...string) *http.Response {
	t.Helper()
	answer, err := client.Do(outgoing(t.Context(), http.MethodPost, address, body, header...))
	testkit.NoError(t, err)

	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// decompress returns the body of an answer without its content coding.
func decompress(t *testing.T, answer *http.Response) io.Reader {
	t.Helper()
	if answer.Header.Get("Content-Encoding") != "gzip" {
		return answer.Body
	}
	return testkit.Must(gzip.NewReader(answer.Body))
}

// An event reaches the client while the tool is still working, although Caddy logs and compresses. The tool waits until
// the test has read it.
func TestEventsPassThroughCaddyAsTheyHappen(t *testing.T) {
	client := overSocket(t)
	for _, encoding := range []string{"identity", "gzip", "zstd"} {
		t.Run(encoding, func(t *testing.T) {
			heard = make(chan struct{})
			answer := post(t, client, "http://rodata.example",
				rpc(1, "tools/call", `{"name":"tell_and_wait","_meta":{"progressToken":"p"}}`),
				"Accept-Encoding", encoding)
			if got := answer.Header.Get("Content-Encoding"); got != strings.TrimPrefix(encoding, "identity") {
				t.Errorf("Content-Encoding %q", got)
			}
			if got := answer.Header.Get("Content-Type"); got != "text/event-stream" ||
				answer.Header.Get("X-Accel-Buffering") != "no" {
				t.Errorf("header %v", answer.Header)
			}

			if encoding == "zstd" { // there is no decoder here, so receiving any bytes must suffice
				_, err := io.ReadFull(answer.Body, make([]byte, 40))
				testkit.NoError(t, err)
				close(heard)
				return
			}

			lines := bufio.NewScanner(decompress(t, answer))
			next := func() string {
				for lines.Scan() {
					if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
						return data
					}
				}

				t.Fatalf("the stream ended: %v", lines.Err())
				return ""
			}
			if event := next(); !strings.Contains(event, `"progressToken":"p"`) {
				t.Errorf("the first event is %s", event)
			}

			close(heard)
			if event := next(); !strings.Contains(event, `"result"`) {
				t.Errorf("the last event is %s", event)
			}
		})
	}
}

func TestLongBodiesAreRefusedThroughCaddy(t *testing.T) {
	client := overSocket(t)
	for name, body := range map[string]io.Reader{
		"announced": strings.NewReader(strings.Repeat(" ", 256<<10) + list),
		"in chunks": io.MultiReader(strings.NewReader(strings.Repeat(" ", 256<<10)), strings.NewReader(list)),
	} {
		answer, err := client.Post("http://rodata.example"+Path, "application/json", body)
		testkit.NoError(t, err, name)
		_ = answer.Body.Close()
		testkit.Equal(t, answer.StatusCode, http.StatusRequestEntityTooLarge, name)
	}
}

// pipe is a listener with one connection, which needs no network.
type pipe struct {
	net.Listener // nil
	connection   chan net.Conn
}

func (p pipe) Accept() (net.Conn, error) {
	if c, ok := <-p.connection; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipe) Close() error   { close(p.connection); return nil }
func (p pipe) Addr() net.Addr { return &net.UnixAddr{} }

// serveConnection serves a handler on one connection, and returns the client's end.
func serveConnection(t *testing.T, h http.Handler) net.Conn {
	near, far := net.Pipe()
	listener := pipe{connection: make(chan net.Conn, 1)}
	listener.connection <- far
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _, _ = server.Close(), near.Close() })
	return near
}

// A client that sends its message slowly does not hold a connection forever.
func TestSlowBodiesAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near := serveConnection(t, newWorld(t))
		start := time.Now()
		_, _ = io.WriteString(near, "POST /mcp HTTP/1.1\r\nHost: rodata.example\r\nContent-Type: application/json\r\n"+
			"Content-Length: 1000\r\n\r\n{")
		answer := testkit.Must(http.ReadResponse(bufio.NewReader(near), nil))
		if took := time.Since(start); answer.StatusCode != http.StatusBadRequest || took != bodyTime {
			t.Errorf("%d after %s", answer.StatusCode, took)
		}
	})
}

// A client that closes the connection or, in HTTP/2, the stream cancels its call within 100 ms, or a second on a busy
// machine, in the best of 20 attempts. The next call is unaffected.
func TestHangingUpReachesTheRegistryLong(t *testing.T) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			server := httptest.NewUnstartedServer(w)
			server.EnableHTTP2 = version == "HTTP/2.0"
			server.StartTLS()
			t.Cleanup(server.Close)
			client := server.Client()
			testkit.Equal(t, post(t, client, server.URL, list).Proto, version)

			best, limit := time.Hour, time.Second
			if long.Full(t) {
				limit = 100 * time.Millisecond
			}

			for round := 0; best > limit && round < 20; round++ {
				best = min(best, w.hangUp(t, client, server.URL))
				next := post(t, client, server.URL, companyCall(6, example))
				testkit.Equal(t, next.StatusCode, 200, "the next call")
			}

			if best > limit {
				t.Errorf("the call ended %s later", best)
			}
		})
	}
}

// hangUp makes a call, disconnects once the registry has been queried, and returns the time until the call was
// cancelled.
func (w *world) hangUp(t *testing.T, client *http.Client, address string) time.Duration {
	t.Helper()
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	r := outgoing(ctx, http.MethodPost, address, companyCall(5, hanging))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if answer, err := client.Do(r); err == nil {
			_ = answer.Body.Close()
		}
	}()
	<-w.companies.began
	left := time.Now()
	hangUp()
	<-w.companies.ended
	took := time.Since(left)
	<-done
	return took
}
