package caddymodule

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/testkit"
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
	testkit.NoError(t, h.ServeHTTP(w, r, next))

	return w
}

func TestMCPAnswersAtItsPath(t *testing.T) {
	h := &MCPHandler{guest: guest{newTestHandler(t).app}}
	for path, want := range map[string]int{"/mcp": 200, "/mcp/": 200, "/mcp/x": 418, "/": 418, "/mcpx": 418} {
		if w := sendMCP(t, h, path); w.Code != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}

	if !isIdle(t, h.app) {
		t.Error("a request still counts as in flight")
	}
}

// If a configuration is replaced while it reads the header of a request, the newest configuration answers the request,
// with the settings of the original one.
func TestLateMCPRequestMeetsTheSuccessor(t *testing.T) {
	replaced, _ := newTestHandler(t).app, newTestHandler(t)
	testkit.NoError(t, replaced.Cleanup())

	h := &MCPHandler{guest: guest{replaced}}
	if w := sendMCP(t, h, "/mcp"); w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, w.Body)
	}

	h.MaxBody = 1
	if w := sendMCP(t, h, "/mcp"); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("with a body that the directive does not allow: got %d %s", w.Code, w.Body)
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
