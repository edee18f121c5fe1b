package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/vies"
	"github.com/rodata/rodata/watch"
)

// quiet is a log that nobody reads.
var quiet = slog.New(slog.DiscardHandler)

// testConfig returns a config with settings in JSON, without a web server in front.
func testConfig(tb testing.TB, text string) Config {
	tb.Helper()
	c := Config{
		Settings: new(settings.Settings), Logger: quiet, Live: quiet,
		Address: func(r *http.Request) netip.Addr {
			at, _ := netip.ParseAddrPort(r.RemoteAddr)
			return at.Addr()
		},
		Record:  func(context.Context, *op.Observation) (traced bool) { return false },
		LogPath: func(path string) string { return path },
	}
	c.URL = func(r *http.Request) string { return cmp.Or(c.BaseURL, "http://"+r.Host) }
	testkit.NoError(tb, json.Unmarshal([]byte(text), c.Settings))

	for _, step := range []func() error{c.Resolve, c.Validate} {
		testkit.NoError(tb, step())
	}

	return c
}

// openTest opens a service with settings in JSON.
func openTest(tb testing.TB, text string) *Service {
	tb.Helper()
	s, err := Open(testConfig(tb, text))
	testkit.NoError(tb, err)

	return s
}

// oneCompany is a register that knows a single company.
func oneCompany(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
	if asked.CUI != 9900000010 {
		return nil, op.ErrUnknown
	}

	address := strings.Repeat("Strada Exemplului, ", 30)
	return anaf.NewRecord(fmt.Appendf(nil, `{"date_generale":{"cui":%d,"denumire":"EXEMPLU SRL",
		"stare_inregistrare":"INREGISTRAT","adresa":%q}}`, asked.CUI, address)), nil
}

// newService returns a service with companies and no other data.
func newService(tb testing.TB, register func(context.Context, ro.CompanyDay) (*anaf.Record, error)) *Service {
	tb.Helper()
	c, err := cache.Open(cache.Options{})
	testkit.NoError(tb, err)

	testkit.CloseAfter(tb, c)
	s := &Service{
		Config:   testConfig(tb, `{"data_dir": "`+tb.TempDir()+`", "base_url": "https://api.example.ro"}`),
		core:     &core{cache: c, buckets: metering.NewBuckets(), meters: telemetry.NewMeters()},
		watching: &sharedWatch{hub: new(watch.Hub)},
	}
	s.companies = profile.NewRegister(c, profile.DefaultLifetimes, cache.Plain(register),
		onrc.Open(onrc.RegisterOptions{Dir: tb.TempDir()}), nil)
	s.gateway = &op.Gateway{
		Keys: noKeys{}, Plans: metering.DefaultPlans(), Anonymous: metering.PerSecond(1e6, 1e6),
		Buckets: s.core.buckets, Logger: s.Config.Logger,
	}
	s.serve(tb, api.Registries{
		Companies:  s.companies,
		VATNumbers: vies.NewRegister(c, vies.NewLanes(vies.Options{Client: vies.NewClient(everyNumber{})})),
	})
	return s
}

// serve opens the REST channel with the operations that have the given sources.
func (s *Service) serve(tb testing.TB, r api.Registries) {
	tb.Helper()
	s.operations = api.Operations(r, s.gateway.Plans, system.About{})
	s.gateway.Observe = s.core.meters.Observer(s.operations, s.Config.Record)
	testkit.NoError(tb, s.openREST(&s.Config))
}

// everyNumber stands in for VIES; one VAT number is valid.
type everyNumber struct{}

func (everyNumber) Do(context.Context, upstream.Request) (*upstream.Response, error) {
	return &upstream.Response{Status: 200,
		Body: []byte(`{"countryCode":"FR","vatNumber":"46688637511","valid":true,"name":"EXEMPLE SARL","address":"---"}`)}, nil
}

// noKeys is an empty directory.
type noKeys struct{}

func (noKeys) KeyFrom(context.Context, string, netip.Addr) (account.Key, error) {
	return account.Key{}, account.ErrUnknownKey
}

// ServeHTTP answers a request over REST, as a web server does.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.Enter() {
		panic("the service is closed")
	}
	defer s.Leave()

	s.REST.ServeHTTP(w, r)
}

// answer returns the answer to a request over REST.
func (s *Service) answer(r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func TestFailedOpenKeepsNothing(t *testing.T) {
	dir := t.TempDir()
	c := testConfig(t, `{"data_dir": "`+dir+`"}`)
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("short"), 0o600); err != nil { // not before
		t.Fatal(err)
	}

	_, err := Open(c)
	if err == nil || !strings.Contains(err.Error(), "the secret in "+dir) {
		t.Errorf("got %v, want what is wrong with the secret", err)
	}
	if v := shared[shareKey{coreName, dir}]; v != nil {
		t.Errorf("the core is still shared %d times", v.shares)
	}
	if Enter() != nil {
		t.Error("a request got in")
	}
}

// A data directory that was restored without its secret does not open with another: its keys would all be invalid.
func TestAnotherSecretDoesNotOpen(t *testing.T) {
	dir := t.TempDir()
	config := func(secret string) string {
		return `{"data_dir": "` + dir + `", "secret": "` + secret + `", "upstreams": ` + noUpstreams + `}`
	}
	testkit.NoError(t, openTest(t, config("the secret of this directory")).Close())

	_, err := Open(testConfig(t, config("another secret for a directory")))
	testkit.ErrorSays(t, err, "secret")
	testkit.ErrorSays(t, err, "restore")
	testkit.NoError(t, openTest(t, config("the secret of this directory")).Close())
}

func TestSharesAreClosedWithTheLast(t *testing.T) {
	config := `{"data_dir": "` + t.TempDir() + `", "upstreams": ` + noUpstreams + `}`
	first, second := openTest(t, config), openTest(t, config)
	if !first.Enter() {
		t.Fatal("a request does not get in")
	}
	if first.core != second.core {
		t.Error("two services with one data directory have two cores")
	}

	if err := first.Close(); err != nil { // with a request in flight
		t.Fatal(err)
	}

	key := shareKey{coreName, first.Config.DataDir}
	if n := shared[key].shares; n != 2 {
		t.Errorf("the core is shared %d times while a request is in flight, want 2", n)
	}

	first.Leave()
	testkit.NoError(t, second.Close())

	first.closing.Wait()
	if shared[key] != nil {
		t.Error("the core is still open")
	}
}

// noUpstreams are settings of registries that cannot be reached.
const noUpstreams = `{"anaf_files": {"off": true}, "anaf": {"url": "http://127.0.0.1:1"},
	"bnr": {"url": "http://127.0.0.1:1"}, "vies": {"url": "http://127.0.0.1:1"}, "onrc": {"off": true}}`
