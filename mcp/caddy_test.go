package mcp

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/gzip"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/zstd"
	_ "github.com/caddyserver/caddy/v2/modules/logging"

	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/testkit"
)

// fixtures is a Caddy handler with additional tools, resources and prompts: the ones that the official conformance
// suite calls by name, and a tool that reports progress.
type fixtures struct{ *Handler }

func init() { caddy.RegisterModule(new(fixtures)) }

func (*fixtures) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.mcp_fixtures", New: func() caddy.Module { return new(fixtures) }}
}

// fixtureWorld is the world behind a fixtures handler; a test sets it before loading a configuration.
var fixtureWorld *world

func (f *fixtures) Provision(ctx caddy.Context) error {
	f.Handler = New(Options{
		Gateway: fixtureWorld.Gateway, Operations: fixtureWorld.Operations, Logger: ctx.Slogger(),
		BaseURL: func(*http.Request) string { return "https://api.example.ro" }, Address: remoteAddress,
	})
	s := f.newServer()
	addFixtures(s)
	f.transport = server.NewStreamableHTTPServer(s, server.WithStateLess(true))
	return nil
}

func (f *fixtures) Cleanup() error {
	f.Close()
	return nil
}

func (f *fixtures) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	f.Handler.ServeHTTP(w, r)
	return nil
}

// serveFixtures runs Caddy with the fixtures behind its log and its encoders.
func serveFixtures(t *testing.T, address string) {
	t.Helper()
	fixtureWorld = newWorld(t)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	config := fmt.Sprintf(`{
		"admin": {"disabled": true, "config": {"persist": false}},
		"logging": {"logs": {"default": {"writer": {"output": "discard"}}}},
		"apps": {"http": {"servers": {"fixtures": {
			"listen": [%q], "automatic_https": {"disable": true}, "logs": {},
			"routes": [{"handle": [
				{"handler": "encode", "encodings": {"gzip": {}, "zstd": {}}, "minimum_length": 1},
				{"handler": "mcp_fixtures"}
			]}]
		}}}}
	}`, address)
	testkit.NoError(t, caddy.Load([]byte(config), true))

	t.Cleanup(func() { testkit.NoError(t, caddy.Stop()) })
}

// TestServeFixtures serves the fixtures for the official conformance suite, at the address in RODATA_TEST_FIXTURES,
// until it is stopped.
func TestServeFixtures(t *testing.T) {
	address := os.Getenv("RODATA_TEST_FIXTURES")
	if address == "" {
		t.Skip("RODATA_TEST_FIXTURES does not say where to serve; .ci/conformance does")
	}

	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	serveFixtures(t, address)
	<-ctx.Done()
}
