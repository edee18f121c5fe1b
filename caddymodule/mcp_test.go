package caddymodule

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
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

// Closing a configuration ends its streams, even ones just being opened; otherwise a reload would wait for them.
func TestClosingEndsStreams(t *testing.T) {
	app := newTestHandler(t, oneCompany).app
	s := app.service.Load()
	listen := func(handler http.Handler) <-chan struct{} {
		ended := make(chan struct{})
		r := newRequest("GET", "/mcp", nil)
		r.Header.Set("Accept", "text/event-stream")
		go func() {
			defer close(ended)
			handler.ServeHTTP(httptest.NewRecorder(), r)
		}()
		return ended
	}
	open := listen(s.mcp.handler(&MCPHandler{}, s))
	s.mcp.close()
	late := listen(s.mcp.handler(&MCPHandler{MaxBody: 1 << 10}, s))
	for _, ended := range []<-chan struct{}{open, late} {
		select {
		case <-ended:
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
