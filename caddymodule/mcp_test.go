package caddymodule

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/watch"
)

func sendMCP(t *testing.T, h *MCPHandler, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := newRequest("POST", path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	next := caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusTeapot)
		return nil
	})
	if err := h.ServeHTTP(w, r, next); err != nil {
		t.Fatal(err)
	}

	return w
}

func TestMCPAnswersAtItsPath(t *testing.T) {
	h := &MCPHandler{app: newTestHandler(t, oneCompany).app}
	for path, want := range map[string]int{"/mcp": 200, "/mcp/": 200, "/mcp/x": 418, "/": 418, "/mcpx": 418} {
		if w := sendMCP(t, h, path); w.Code != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}

	s := h.app.service.Load()
	if !s.requests.TryLock() {
		t.Fatal("a request still counts as in flight")
	}

	s.requests.Unlock()
	if s.mcp.handler(h, s) != s.mcp.handler(&MCPHandler{}, s) ||
		s.mcp.handler(h, s) == s.mcp.handler(&MCPHandler{MaxBody: 1 << 10}, s) {
		t.Error("handlers are not kept by their settings")
	}
}

func TestMCPOfAClosedServiceAnswers503(t *testing.T) {
	h := &MCPHandler{app: newTestHandler(t, oneCompany).app}
	if err := h.app.Cleanup(); err != nil {
		t.Fatal(err)
	}
	if w := sendMCP(t, h, "/mcp"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// If a configuration is replaced while it reads the header of a request, the newest configuration answers the request,
// with the settings of the original one.
func TestLateMCPRequestMeetsTheSuccessor(t *testing.T) {
	replaced, successor := newTestHandler(t, oneCompany).app, newTestHandler(t, oneCompany).app
	serving.add(successor.service.Load())
	t.Cleanup(func() { serving.remove(successor.service.Load()) })
	if err := replaced.Cleanup(); err != nil {
		t.Fatal(err)
	}

	h := &MCPHandler{app: replaced, MaxBody: 1 << 10}
	if w := sendMCP(t, h, "/mcp"); w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if s := successor.service.Load(); len(s.mcp.open) != 1 {
		t.Errorf("the successor has %d handlers", len(s.mcp.open))
	}
}

// everyKey accepts every key, as one of the account acme.
type everyKey struct{}

func (everyKey) KeyFrom(context.Context, string, netip.Addr) (account.Key, error) {
	return account.Key{ID: "key", Account: "acme", Plan: "free"}, nil
}

// Closing a configuration ends its streams, even ones just being opened; otherwise a reload would wait for them.
func TestClosingEndsStreams(t *testing.T) {
	s := newTestHandler(t, oneCompany).app.service.Load()
	s.gateway.Keys = everyKey{}
	s.watching.store = withWatchlists(t).watching.store
	lists := &watch.Lists{Store: s.watching.store, Hash: func(secret string) string { return secret }}
	if _, err := lists.CreateWatchlist(t.Context(), "acme", api.WatchlistChange{Name: "Suppliers"}); err != nil {
		t.Fatal(err)
	}

	listen := func(handler http.Handler) <-chan string {
		ended := make(chan string, 1)
		r := newRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",
			"params":{"notifications":{"resourceSubscriptions":["watchlist://default"]},"_meta":{
			"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		for name, value := range map[string]string{"Content-Type": "application/json", "X-Api-Key": "any",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"} {
			r.Header.Set(name, value)
		}

		go func() {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			ended <- w.Body.String()
		}()
		return ended
	}
	open := listen(s.mcp.handler(&MCPHandler{}, s))
	s.mcp.close()
	late := listen(s.mcp.handler(&MCPHandler{MaxBody: 1 << 10}, s))
	for _, ended := range []<-chan string{open, late} {
		select {
		case text := <-ended:
			if !strings.Contains(text, "notifications/subscriptions/acknowledged") {
				t.Errorf("it was no stream: %s", text)
			}
		case <-time.After(10 * time.Second):
			t.Error("a stream is still open")
		}
	}
}

func TestMCPValidate(t *testing.T) {
	for _, h := range []*MCPHandler{
		{MaxBody: -1}, {MaxBody: 2 << 30}, {Timeout: -1}, {AllowedOrigins: []string{"example"}},
	} {
		if h.Validate() == nil {
			t.Errorf("%+v is accepted", h)
		}
	}
}
