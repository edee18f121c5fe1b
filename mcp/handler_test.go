package mcp

import (
	"context"
	"crypto/tls"
	"fmt"
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
	"github.com/rodata/rodata/op/problem"
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

func TestRequestsThatAreNoMessages(t *testing.T) {
	long := strings.Repeat(" ", 256<<10) + list
	for _, c := range []struct {
		name, method, body string
		header             []string
		status             int
		says               string
	}{
		{name: "of another method", method: "PUT", status: 405, says: "DELETE, OPTIONS, POST"},
		{name: "HEAD", method: "HEAD", status: 405},
		{name: "of another type", method: "POST", body: list, header: []string{"Content-Type", "text/plain"},
			status: 415, says: "application/json"},
		{name: "without a type", method: "POST", body: list, header: []string{"Content-Type", ""}, status: 415},
		{name: "a byte too long", method: "POST", body: long[len(list)-1:], status: 413, says: "262144"},
		{name: "as long as may be", method: "POST", body: long[len(list):], status: 200},
		{name: "GET by a browser", method: "GET", header: []string{"Accept", "text/html,*/*"}, status: 405,
			says: "POST messages"},
		{name: "of an unknown revision", method: "POST", body: list,
			header: []string{"MCP-Protocol-Version", "1999-12-31"}, status: 400, says: "2025-11-25"},
		{name: "with an unreadable session", method: "POST", body: list, header: []string{"Mcp-Session-Id", "ă"},
			status: 404},
		{name: "with an endless session", method: "POST", body: list,
			header: []string{"Mcp-Session-Id", strings.Repeat("x", 1<<20)}, status: 404},
		{name: "GET of the modern era", method: "GET",
			header: []string{"Accept", "text/event-stream", "MCP-Protocol-Version", "2026-07-28"}, status: 405,
			says: "POST"},
		{name: "DELETE of the modern era", method: "DELETE", header: []string{"MCP-Protocol-Version", "2026-07-28"},
			status: 405, says: "POST"},
		{name: "DELETE without a session", method: "DELETE", status: 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := newWorld(t).send(c.method, c.body, c.header...)
			if answer.Code != c.status || !strings.Contains(answer.Body.String()+answer.Header().Get("Allow"), c.says) {
				t.Fatalf("%d %s", answer.Code, answer.Body)
			}
			if c.status == 405 && answer.Header().Get("Allow") == "" {
				t.Error("no Allow header")
			}

			if c.status >= 400 {
				if got := answer.Header().Get("Content-Type"); got != "application/problem+json" {
					t.Errorf("Content-Type %s", got)
				}
				if p := readProblem(t, answer.Body.Bytes()); p.Status != c.status ||
					!strings.HasPrefix(p.Type, "http://rodata.example/problems/") {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

func TestMessagesThatAreNone(t *testing.T) {
	deep := strings.Repeat("[", 10_000)
	for _, c := range []struct {
		name, body string
		code       int
		says       string
	}{
		{"nothing", "", -32700, "JSON"},
		{"no JSON", "{", -32700, "JSON"},
		{"no UTF-8", callOf(1, "search_cities", "{\"q\":\"a\xff\"}"), -32700, "UTF-8"},
		{"a batch of two", "[" + list + "," + list + "]", -32600, "batches"},
		{"a batch of none", " []", -32600, "batches"},
		{"a batch of many", "[" + strings.Repeat(list+",", 1000) + list + "]", -32600, "batches"},
		{"a text", `"tools/list"`, -32600, "shape"},
		{"an object of nothing", `{}`, -32600, "method"},
		{"params that are a list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, -32600, "shape"},
		{"a method that is a number", `{"jsonrpc":"2.0","id":1,"method":5}`, -32600, "shape"},
		{"a version that is a number", `{"jsonrpc":2.0,"id":1,"method":"tools/list"}`, -32600, "shape"},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, -32600, "id"},
		{"params too deep", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_company","arguments":{"cui":` + deep + `}}}`, -32700, "JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := newWorld(t).send("POST", c.body)
			r := read(t, answer)
			if answer.Code != 400 || r.Error == nil || r.Error.Code != c.code ||
				!strings.Contains(r.Error.Message, c.says) {
				t.Fatalf("%d %s", answer.Code, answer.Body)
			}

			saysNothingInternal(t, answer.Body.String())
		})
	}
}

func saysNothingInternal(t *testing.T, answer string) {
	t.Helper()
	for _, internal := range []string{"Go ", "struct", "json:", "&{", "mcp."} {
		if strings.Contains(answer, internal) {
			t.Errorf("the answer says %q: %s", internal, answer)
		}
	}
}

// Sending many calls in one batch does not bypass the limits.
func TestBatchesCostNothing(t *testing.T) {
	w := newWorld(t)
	for _, calls := range []int{2, 10_000} {
		batch := "[" + strings.Repeat("{},", calls-2) + companyCall(1, example) + "," + companyCall(2, example) + "]"
		answer := w.send("POST", batch, "Authorization", manyKey)
		if r := read(t, answer); answer.Code != 400 || r.Error == nil || r.Error.Code != -32600 ||
			string(r.ID) != "null" {
			t.Errorf("a batch of %d: %d %s", calls, answer.Code, answer.Body)
		}
	}

	if charged := w.journal.Entries(); len(charged) != 0 || w.companies.asked.Load() != 0 {
		t.Errorf("the registry was asked %d times, and %v were charged", w.companies.asked.Load(), charged)
	}
}

// A message with invalid params for its method gets a JSON-RPC error, with status 200 in the older revisions and 400
// in the newer ones.
func TestParamsOfTheWrongShape(t *testing.T) {
	for _, c := range []struct{ name, method, params, says string }{
		{"a name that is a number", "tools/call", `"name":5,`, "tools/call"},
		{"a cursor that is a number", "tools/list", `"cursor":5,`, "tools/list"},
		{"a version that is a number", "initialize", `"protocolVersion":5,`, "initialize"},
		{"an address that is a list", "resources/read", `"uri":[],`, "resources/read"},
		{"arguments that are no texts", "prompts/get", `"name":"verify_supplier","arguments":{"cui":[]},`,
			"prompts/get"},
		{"a number beyond floats", "tools/call", `"name":"convert_currency","arguments":{"amount":1e999},`, "tools/call"},
		{"a reference to nothing", "completion/complete", `"ref":5,`, "completion/complete"},
		{"input that was never asked for", "tools/call", `"name":"get_fx_rates","inputResponses":5,`, "tools/call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			legacy, modern := w.send("POST", rpc(1, c.method, "{"+strings.TrimSuffix(c.params, ",")+"}")),
				w.sendModern(c.method, "", c.params)
			r := read(t, legacy)
			if legacy.Code != 200 || string(r.ID) != "1" || r.Error == nil || r.Error.Code != -32602 ||
				!strings.Contains(r.Error.Message, c.says) {
				t.Errorf("%d %s", legacy.Code, legacy.Body)
			}
			// Some of them cannot match their headers, and initialize is gone.
			if r := read(t, modern); modern.Code < 400 || string(r.ID) != "1" || r.Error == nil {
				t.Errorf("%d %s", modern.Code, modern.Body)
			}

			saysNothingInternal(t, legacy.Body.String())
			saysNothingInternal(t, modern.Body.String())
		})
	}
}

func TestBadKeysAreRefusedBeforeAnyMessage(t *testing.T) {
	for _, authorization := range []string{"Bearer rodata_live_revoked", "Bearer", "Basic QTpC", "rodata_live_pro"} {
		w := newWorld(t)
		for _, request := range []struct{ method, body string }{
			{"POST", rpc(1, "initialize", `{"protocolVersion":"2025-11-25"}`)},
			{"POST", list}, {"POST", callOf(1, "get_fx_rates", `{}`)}, {"POST", "[not even JSON"},
			{"GET", ""}, {"DELETE", ""}, {"PUT", ""},
		} {
			answer := w.send(request.method, request.body, "Authorization", authorization, "Accept",
				"text/event-stream")
			if answer.Code != 401 || !strings.HasPrefix(answer.Header().Get("WWW-Authenticate"),
				`Bearer error="invalid_token"`) {
				t.Errorf("%s %s with %q: %d %v", request.method, request.body, authorization, answer.Code,
					answer.Header())
			}

			if readProblem(t, answer.Body.Bytes()); strings.Contains(answer.Body.String(), "revoked\"") {
				t.Error("the answer repeats the key")
			}
		}

		if answer := w.sendModern("server/discover", "", "", "Authorization", authorization); answer.Code != 401 {
			t.Errorf("server/discover with %q: %d", authorization, answer.Code)
		}
	}
}

// The key may be sent as x-api-key, as over REST.
func TestKeysInTheirOwnHeader(t *testing.T) {
	_, key, _ := strings.Cut(goodKey, " ")
	for _, c := range []struct {
		name   string
		header []string
		status int
	}{
		{"a key", []string{"X-Api-Key", key}, 200},
		{"the same in both", []string{"X-Api-Key", key, "Authorization", goodKey}, 200},
		{"an unknown one", []string{"X-Api-Key", key + "x"}, 401},
		{"two different ones", []string{"X-Api-Key", key + "x", "Authorization", goodKey}, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Challenge = `scope="rodata:read"` })
			for _, body := range []string{list, companyCall(1, example)} {
				answer := w.send("POST", body, c.header...)
				if answer.Code != c.status {
					t.Fatalf("%d %s", answer.Code, answer.Body)
				}
				if challenge := answer.Header().Get("WWW-Authenticate"); (challenge != "") != (c.status == 401) ||
					c.status == 401 && !strings.Contains(challenge, "invalid_token") {
					t.Errorf("challenged with %q", challenge)
				}
			}

			if charged := len(w.journal.Entries()); (charged == 1) != (c.status == 200) {
				t.Errorf("charged %d times", charged)
			}
		})
	}
}

func TestKeyStoreDown(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Gateway.Keys = fakeKeys{down: fmt.Errorf("%w: disk", account.ErrStoreDown)} })
	if answer := w.send("POST", list, "Authorization", goodKey); answer.Code != 503 ||
		answer.Header().Get("Retry-After") == "" {
		t.Errorf("tools/list: %d %v", answer.Code, answer.Header())
	}

	answer := w.send("POST", callOf(1, "get_fx_rates", `{}`), "Authorization", goodKey)
	if r := read(t, answer); answer.Code != 200 || !r.Result.IsError ||
		readProblem(t, []byte(r.Result.Content[0].Text)).Status != 503 {
		t.Errorf("tools/call: %d %s", answer.Code, answer.Body)
	}
	if answer := w.send("POST", list); answer.Code != 200 {
		t.Errorf("without a key: %d", answer.Code)
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
		{"own host on another port", "rodata.example", "https://rodata.example:8443", false, 403},
		{"allowed", "rodata.example", "https://app.example.ro", false, 200},
		{"allowed in other case", "rodata.example", "https://APP.example.ro", false, 200},
		{"foreign", "rodata.example", "https://evil.example", false, 403},
		{"that only begins alike", "rodata.example", "https://app.example.ro.evil.example", false, 403},
		{"of a file", "rodata.example", "null", false, 403},
		{"of this machine", "localhost:8080", "http://localhost:3000", true, 200},
		{"of this machine by address", "127.0.0.1:8080", "http://[::1]:3000", true, 200},
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
		for range protocolRate.Burst {
			w.send("POST", list)
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

func TestBaseURLNamesProblems(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.BaseURL = func(*http.Request) string { return "https://api.example.ro" } })
	r := read(t, w.send("POST", companyCall(1, unknown)))
	if p := readProblem(t, []byte(r.Result.Content[0].Text)); p.Type != "https://api.example.ro/problems/"+
		problem.NotFound.Slug {
		t.Errorf("type %s", p.Type)
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
