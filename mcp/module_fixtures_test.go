package mcp

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/caddyserver/caddy/v2"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/gzip"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/zstd"
	_ "github.com/caddyserver/caddy/v2/modules/logging"
)

// fixtures is this package's Caddy handler with tools, resources and prompts
// beside its own: those that the official conformance suite calls by name, and a
// tool that tells of its progress.
type fixtures struct{ Module }

func init() { caddy.RegisterModule(new(fixtures)) }

func (*fixtures) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.mcp_fixtures", New: func() caddy.Module { return new(fixtures) }}
}

// fixtureService is what a fixtures handler stands on; a test sets it before it
// loads a configuration.
var fixtureService Service

func (f *fixtures) Provision(ctx caddy.Context) error {
	f.service, f.logger = fixtureService, ctx.Slogger()
	f.once.Do(func() {
		f.handler = f.newHandler()
		s := f.handler.newProtocol()
		addFixtures(s)
		f.handler.protocol, f.handler.lists = f.handler.transport(s), newLists(s)
	})
	return nil
}

// openService is an app that any number of requests may enter.
type openService struct{ *fakeService }

func (openService) Enter() bool { return true }
func (openService) Leave()      {}

// serveFixtures runs Caddy with the fixtures behind its log and its encoders.
func serveFixtures(t *testing.T, address string) {
	t.Helper()
	fixtureService = openService{&fakeService{world: newWorld(t)}}
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
	if err := caddy.Load([]byte(config), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestServeFixtures serves the fixtures for the official conformance suite, at
// the address in RODATA_TEST_FIXTURES, until it is told to stop.
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
