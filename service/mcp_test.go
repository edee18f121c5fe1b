package service

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/mcp"
	"github.com/rodata/rodata/watch"
)

func TestMCPIsKeptBySettings(t *testing.T) {
	s := newService(t, oneCompany)
	first := s.MCP(mcp.Options{})
	if s.MCP(mcp.Options{}) != first || s.MCP(mcp.Options{MaxBody: 1 << 10}) == first {
		t.Error("handlers are not kept by their settings")
	}
}

// everyKey accepts every key, as one of the account acme.
type everyKey struct{}

func (everyKey) KeyFrom(context.Context, string, netip.Addr) (account.Key, error) {
	return account.Key{ID: "key", Account: "acme", Plan: "free"}, nil
}

// Closing a configuration ends its streams, even ones just being opened; otherwise a reload would wait for them.
func TestClosingEndsStreams(t *testing.T) {
	s := newService(t, oneCompany)
	s.gateway.Keys = everyKey{}
	s.watching.store = withWatchlists(t).watching.store
	lists := &watch.Lists{Store: s.watching.store, Hash: func(secret string) string { return secret }}
	if _, err := lists.CreateWatchlist(t.Context(), "acme", monitoring.WatchlistChange{Name: "Suppliers"}); err != nil {
		t.Fatal(err)
	}

	listen := func(handler http.Handler) <-chan string {
		ended := make(chan string, 1)
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",
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
	open := listen(s.MCP(mcp.Options{}))
	s.mcp.close()
	late := listen(s.MCP(mcp.Options{MaxBody: 1 << 10}))
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
