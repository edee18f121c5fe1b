package caddymodule

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/rodata/rodata/testkit"
)

// provision loads an app from its JSON, like Caddy.
func provision(t *testing.T, config string) (*App, error) {
	t.Helper()
	ctx, cancel := caddy.NewContext(caddy.Context{Context: context.Background()})
	t.Cleanup(cancel)
	app := new(App)
	if err := caddy.StrictUnmarshalJSON([]byte(config), app); err != nil { // like Caddy
		return nil, err
	}
	if err := app.Provision(ctx); err != nil {
		return nil, err
	}

	return app, app.Validate()
}

// A configuration in JSON is checked like a Caddyfile.
func TestMistakesInJSON(t *testing.T) {
	for name, c := range map[string]struct{ config, want string }{
		"unknown registry":  {`{"upstreams": {"inspectorat": {}}}`, `unknown field "inspectorat"`},
		"unknown store":     {`{"store": {"type": "mysql"}}`, `"mysql" is unknown`},
		"store without URL": {`{"store": {"type": "postgres"}}`, "needs a url"},
		"store of no URL":   {`{"store": {"type": "postgres", "url": "{env.RODATA_NOT_SET}"}}`, "url"},
		"two stores": {`{"store": {"type": "sqlite"}, "store_url": "postgres://db.example/rodata"}`,
			"remove one of them"},
		"store placeholder": {`{"store_url": "{no.such.thing}"}`, "store_url"},
		"unencrypted":       {`{"upstreams": {"bnr": {"url": "http://registru.example"}}}`, "not encrypted"},
		"unencrypted files": {`{"upstreams": {"anaf_files": {"url": "ftp://static.example"}}}`, "use https"},
		"negative timeout":  {`{"upstreams": {"anaf": {"timeout": -1}}}`, "timeout"},
		"negative breaker":  {`{"upstreams": {"anaf": {"breaker": {"failures": -1}}}}`, "breaker"},
		"small cache":       {`{"cache": {"size": 1000}}`, "1.0 MiB"},
		"negative lifetime": {`{"cache": {"companies": {"stale": -1}}}`, "lifetime"},
		"base URL":          {`{"base_url": "api.example.ro"}`, "base_url"},
		"environment":       {`{"environment": "test"}`, "production or sandbox"},
		"key prefix":        {`{"key_prefix": "x"}`, "_live_"},
		"key management":    {`{"key_management": "nobody"}`, "session_only"},
		"store URL":         {`{"store_url": "mysql://db.example/rodata"}`, "RODATA_STORE"},
		"no rate":           {`{"anonymous": {"per_second": 1}}`, "anonymous"},
		"plan twice":        {`{"plans": [{"code": "a", "credits": 1, "rate": {"per_second": 1, "burst": 1}}, {"code": "a", "credits": 1, "rate": {"per_second": 1, "burst": 1}}]}`, "twice"},
		"plan with less": {`{"plans": [{"code": "a", "credits": -2, "rate": {"per_second": 1, "burst": 1}}]}`,
			"-1 for unlimited"},
		"plan without rate":  {`{"plans": [{"code": "a", "credits": 1}]}`, "rate"},
		"secret placeholder": {`{"secret": "{no.such.thing}"}`, "secret"},
	} {
		if _, err := provision(t, c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want it to say %s", name, err, c.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	app, err := provision(t, `{}`)
	testkit.NoError(t, err)
	if app.DataDir != filepath.Join(caddy.AppDataDir(), "rodata") || app.Environment != "production" ||
		app.KeyPrefix != "rodata_live_" {
		t.Errorf("got %+v", app)
	}
	if len(app.Catalogue()) != 4 || app.Anonymous.Limit().N != 1 || app.Anonymous.Limit().Burst != 10 {
		t.Errorf("got %v and %v", app.Catalogue(), app.Anonymous.Limit())
	}
	if app.Upstreams.ANAF.URL != "https://webservicesp.anaf.ro" || app.Upstreams.BNR.URL != "https://curs.bnr.ro" {
		t.Errorf("got %s and %s", app.Upstreams.ANAF.URL, app.Upstreams.BNR.URL)
	}
	if app.Store.Type != "sqlite" {
		t.Errorf("accounts are kept in %q", app.Store.Type)
	}
}

// Validation has no side effects: another process may be serving from the directory.
func TestProvisionOpensNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	app, err := provision(t, `{"data_dir": "`+dir+`"}`)
	testkit.NoError(t, err)
	if err := app.Cleanup(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the data directory was made: %v", err)
	}
	if app.enter() != nil {
		t.Error("a request got in after the end")
	}
}

// The live log writes to the log that is current, with the attributes and groups that it was given before.
func TestLiveLogKeepsAttributes(t *testing.T) {
	var core zapcore.Core
	log := newLiveLog(func() zapcore.Core { return core }).With("a", "1").WithGroup("g")
	for range 2 {
		next, logs := observer.New(zapcore.InfoLevel)
		core = next
		log.Info("text", "b", "2")
		if got, want := fmt.Sprint(logs.All()[0].ContextMap()), "map[a:1 g:map[b:2]]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
