package mcp

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/account"
)

const (
	list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
)

func TestAnswersDoNotNameTheServer(t *testing.T) {
	for _, body := range []string{ping, callOf(1, "search_counties", "{}"), "{"} {
		r := httptest.NewRequest(http.MethodPost, "http://rodata.example"+Path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		answer.Header().Set("Server", "Caddy")
		newWorld(t).ServeHTTP(answer, r)
		if got := answer.Header().Get("Server"); got != "" {
			t.Errorf("%s: Server %q", body, got)
		}
	}
}

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		name, host, origin string
		overLoopback       bool
		status             int
	}{
		{"none", "rodata.example", "", false, 200},
		{"own host", "rodata.example", "https://rodata.example", false, 200},
		{"allowed", "rodata.example", "https://app.example.ro", false, 200},
		{"foreign", "rodata.example", "https://evil.example", false, 403},
		{"rebound to this machine", "evil.example", "http://evil.example", true, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.AllowedOrigins = []string{"https://app.example.ro"} })
			for _, method := range []string{"POST", "OPTIONS", "DELETE"} {
				local := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}
				if c.overLoopback {
					local.IP = net.IPv4(127, 0, 0, 1)
				}

				r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey,
					net.Addr(local)), method, "http://x"+Path, strings.NewReader(list))
				r.Host, r.TLS = c.host, new(tls.ConnectionState)
				r.Header.Set("Content-Type", "application/json")
				if c.origin != "" {
					r.Header.Set("Origin", c.origin)
				}

				answer := httptest.NewRecorder()
				w.ServeHTTP(answer, r)
				want := c.status
				if want == 200 && method == "OPTIONS" {
					want = 204
				}
				if answer.Code != want {
					t.Fatalf("%s: %d, want %d: %s", method, answer.Code, want, answer.Body)
				}
				if allowed := answer.Header().Get("Access-Control-Allow-Origin"); (allowed != "") != (c.origin != "" &&
					c.status == 200) {
					t.Errorf("%s: Access-Control-Allow-Origin %q", method, allowed)
				}

				if method == "OPTIONS" && want == 204 && c.origin != "" &&
					!strings.Contains(answer.Header().Get("Access-Control-Allow-Headers"),
						"MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id") {
					t.Errorf("the preflight allows %v", answer.Header())
				}
			}
		})
	}
}

func TestMessagesBesideToolCallsHaveTheirOwnBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no time passes, so no tokens are refilled
		w := newWorld(t)
		for range protocolRate.Burst {
			if answer := w.send("POST", list); answer.Code != 200 {
				t.Fatalf("within the burst: %d", answer.Code)
			}
		}

		answer := w.send("POST", list)
		if answer.Code != 429 || answer.Header().Get("Retry-After") != "1" ||
			raw(answer.Header(), "RateLimit-Remaining") != "0" {
			t.Fatalf("beyond the burst: %d %v", answer.Code, answer.Header())
		}
		if answer := w.send("POST", "no message"); answer.Code != 429 {
			t.Errorf("bodies that are not messages are not rate limited: %d", answer.Code)
		}
		if r := read(t, w.send("POST", companyCall(1, example))); r.Result.IsError {
			t.Error("a tool call paid for the flood")
		}
		if answer := w.send("POST", list, "Authorization", goodKey); answer.Code != 200 {
			t.Error("another caller paid for the flood")
		}
	})
}

// A large message is charged against the rate limit before it is read, even if it is a tool call that the gateway would
// reject without reading its arguments.
func TestLargeMessagesAreAdmittedUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for range protocolRate.Burst - 3 {
			w.send("POST", list)
		}
		if answer := w.send("POST", companyCall(1, example)+strings.Repeat(" ", 3*largeMessage)); answer.Code != 429 {
			t.Errorf("a message of four tokens, of which three are left: %d %s", answer.Code, answer.Body)
		}
		for range 3 {
			if answer := w.send("POST", list); answer.Code != 200 {
				t.Errorf("a token that is left: %d %s", answer.Code, answer.Body)
			}
		}

		large := companyCall(1, example) + strings.Repeat(" ", largeMessage)
		if answer := w.send("POST", large); answer.Code != 429 || answer.Header().Get("Retry-After") != "1" {
			t.Errorf("a large message beyond the burst: %d %s", answer.Code, answer.Body)
		}
		if answer := w.send("POST", large, "Authorization", goodKey); answer.Code != 200 {
			t.Errorf("a large message of another caller: %d %s", answer.Code, answer.Body)
		}
	})
}

// transportFunc is a transport that answers every message with a function.
type transportFunc func(server.HTTPResponseWriter)

func (f transportFunc) Handle(w server.HTTPResponseWriter, _ *server.HTTPRequest) { f(w) }

func TestPanicsLeakNothing(t *testing.T) {
	w := newWorld(t)
	w.transport = transportFunc(func(server.HTTPResponseWriter) {
		panic("secret in /home/invented/file.go")
	})
	answer := w.send("POST", ping, "X-Request-Id", "call-7")
	problem := readProblem(t, answer.Body.Bytes())
	if answer.Code != 500 || problem.Status != 500 || problem.ID == "" ||
		answer.Header().Get("X-Request-Id") != "call-7" {
		t.Fatalf("%d %v %s", answer.Code, answer.Header(), answer.Body)
	}

	for _, internal := range []string{"panic", "secret", ".go", "runtime"} {
		if strings.Contains(answer.Body.String(), internal) {
			t.Errorf("the answer says %q", internal)
		}
	}

	for _, logged := range []string{"secret", problem.ID, "call-7"} {
		if !strings.Contains(w.log.String(), logged) {
			t.Errorf("%q is not in the log", logged)
		}
	}

	w.transport = transportFunc(func(out server.HTTPResponseWriter) {
		_, _ = io.WriteString(out, "{")
		panic("late")
	})
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("half an answer was ended as if it were whole")
		}
	}()
	w.send("POST", ping)
}

// plainWriter flushes like Caddy's writers: only through http.ResponseController.
type plainWriter struct{ http.ResponseWriter }

func (w plainWriter) FlushError() error { w.ResponseWriter.(http.Flusher).Flush(); return nil }

func TestMCPGoCanStreamThroughPlainWriters(t *testing.T) {
	w := newWorld(t)
	w.transport = transportFunc(func(out server.HTTPResponseWriter) {
		_, _ = io.WriteString(out, "event")
		out.Flush()
	})
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest("POST", Path, strings.NewReader(ping))
	r.Header.Set("Content-Type", "application/json")
	w.ServeHTTP(plainWriter{recorder}, r)
	if !recorder.Flushed {
		t.Error("the event was not flushed")
	}
}

// countedKeys counts the look-ups of a key.
type countedKeys struct {
	fakeKeys
	lookups atomic.Int32
}

func (k *countedKeys) KeyFrom(ctx context.Context, secret string, from netip.Addr) (account.Key, error) {
	k.lookups.Add(1)
	return k.fakeKeys.KeyFrom(ctx, secret, from)
}

func TestKeyIsLookedUpOnce(t *testing.T) {
	keys := new(countedKeys)
	w := newWorld(t, func(o *Options) { o.Gateway.Keys = keys })
	for name, body := range map[string]string{
		"a call":     companyCall(1, example),
		"a resource": rpc(1, "resources/read", `{"uri":"caen://6210"}`),
		"a list":     list,
		"completion": rpc(1, "completion/complete",
			`{"ref":{"type":"ref/resource","uri":"caen://{code}"},"argument":{"name":"code","value":"62"}}`),
	} {
		keys.lookups.Store(0)
		if answer := w.send("POST", body, "Authorization", goodKey); answer.Code != http.StatusOK ||
			keys.lookups.Load() != 1 {
			t.Errorf("%s: %d after %d look-ups: %s", name, answer.Code, keys.lookups.Load(), answer.Body)
		}
	}
}
