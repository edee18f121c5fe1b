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
	"github.com/rodata/rodata/testkit"
)

const (
	list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
)

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		name, host, origin, local string
		status                    int
	}{
		{"none", "rodata.example", "", "192.0.2.1", 200},
		{"own host", "rodata.example", "https://rodata.example", "192.0.2.1", 200},
		{"allowed", "rodata.example", "https://app.example.ro", "192.0.2.1", 200},
		{"foreign", "rodata.example", "https://evil.example", "192.0.2.1", 403},
		{"rebound to this machine", "evil.example", "http://evil.example", "127.0.0.1", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.AllowedOrigins = []string{"https://app.example.ro"} })
			for _, method := range []string{"POST", "OPTIONS", "DELETE"} {
				r := newMessage(list).WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey,
					net.Addr(&net.TCPAddr{IP: net.ParseIP(c.local), Port: 443})))
				r.Method, r.Host, r.TLS = method, c.host, new(tls.ConnectionState)
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
				if want == 204 && c.origin != "" {
					testkit.Contains(t, answer.Header().Get("Access-Control-Allow-Headers"),
						"MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id")
				}
			}
		})
	}
}

// Every message takes a token from the bucket of messages, including malformed ones and calls over the rate limit.
func TestMessagesHaveTheirOwnBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no time passes, so no tokens are refilled
		w := newWorld(t, sixCalls)
		messages := []string{ping, companyCall(1, example), strings.Replace(ping, "2.0", "1.0", 1),
			strings.Replace(ping, `1,`, `1,"params":{},"params":[],`, 1), "no message"}
		w.send("POST", list) // takes ten tokens
		for n := range protocolRate.Burst - 10 {
			if message := messages[n%len(messages)]; w.send("POST", message).Code == 429 {
				t.Fatal(n, message)
			}
		}

		header := w.send("POST", ping).Header()
		testkit.Equal(t, header.Get("Retry-After"), "1", "the wait beyond the burst")
		testkit.Equal(t, raw(header, "RateLimit-Remaining"), "0", "the remaining tokens")
		for _, message := range messages {
			testkit.Equal(t, w.send("POST", message).Code, 429, message)
		}
		testkit.Equal(t, w.send("POST", ping, "Authorization", goodKey).Code, 200, "another caller")
	})
}

// A large message is charged by its length before it is read, and again before it is parsed.
func TestLargeMessagesCostMore(t *testing.T) {
	for left, four := range map[int]string{3: ping + strings.Repeat(" ", 3*readPerToken),
		2: strings.Replace(ping, "1,", "1,"+strings.Repeat(" ", 3*parsedPerToken), 1)} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, sixCalls)
			for range protocolRate.Burst - 3 {
				w.send("POST", ping)
			}
			testkit.Equal(t, w.send("POST", four).Code, 429, "a message of four tokens, of which three are left")
			for range left {
				testkit.Equal(t, w.send("POST", ping).Code, 200, "a token that is left")
			}

			testkit.Equal(t, w.send("POST", four).Header().Get("Retry-After"), "1", "the wait of a large message")
			testkit.Equal(t, w.send("POST", four, "Authorization", goodKey).Code, 200, "one of another caller")
		})
	}
}

// transportFunc is a transport that answers every message with a function.
type transportFunc func(server.HTTPResponseWriter)

func (f transportFunc) Handle(w server.HTTPResponseWriter, _ *server.HTTPRequest) { f(w) }

func TestPanicsLeakNothing(t *testing.T) {
	w := newWorld(t)
	w.transport = transportFunc(func(server.HTTPResponseWriter) {
		panic("secret in /home/invented/file.go")
	})
	r := newMessage(ping)
	r.Header.Set("X-Request-Id", "call-7")
	answer := w.answer(t, r)
	problem := readProblem(t, []byte(answer.Body))
	if answer.Status != 500 || problem.ID == "" || answer.Header.Get("X-Request-Id") != "call-7" {
		t.Fatal(answer)
	}

	for _, logged := range []string{"secret", problem.ID, "call-7"} {
		testkit.Contains(t, w.log.String(), logged, "the log")
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
