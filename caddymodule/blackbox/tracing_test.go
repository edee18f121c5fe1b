package blackbox

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/testkit"
)

// collector receives the spans of Caddy's tracing (OTLP over HTTP).
type collector struct {
	mu   sync.Mutex
	sent bytes.Buffer
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	io.Copy(&c.sent, r.Body)
}

// With Caddy's directive tracing, the cache and the registry have separate spans, without callers' secrets.
func TestTracing(t *testing.T) {
	const secret = "planted0123456789secret"
	spans := new(collector)
	server := httptest.NewServer(spans)
	defer server.Close()
	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
		"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL,
	} {
		t.Setenv(name, value)
	}

	g := start(t, func(g *gateway) {
		for name, s := range g.config["apps"].(object)["http"].(object)["servers"].(object) {
			if server := s.(object); name != "metrics" {
				elsewhere := []any{object{"not": []any{object{"path": []string{"/api/auth/*"}}}}}
				tracing := object{"match": elsewhere, "handle": []any{object{"handler": "tracing", "span": "rodata"}}}
				server["routes"] = append([]any{tracing}, server["routes"].([]any)...)
			}
		}
	})
	g.get(t, "/v1/companies/"+company(t)).object(t)
	for _, a := range attempts(secret) {
		g.do(t, a.method, a.path, a.request)
	}

	stopped := make(chan error, 1)
	go func() { stopped <- caddy.Stop() }() // sends the rest
	select {
	case err := <-stopped:
		testkit.NoError(t, err)
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not stop")
	}

	spans.mu.Lock()
	defer spans.mu.Unlock()
	for _, want := range []string{"rodata", "cache.get", "upstream.anaf", "rodata.operation", "get_company", "MISS"} {
		if !bytes.Contains(spans.sent.Bytes(), []byte(want)) {
			t.Errorf("no %s in the spans", want)
		}
	}

	if bytes.Contains(spans.sent.Bytes(), []byte(secret)) {
		t.Errorf("the secret is in the spans: %q", spans.sent.Bytes())
	}
}
