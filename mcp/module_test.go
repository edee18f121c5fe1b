package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/api"
)

func TestCaddyfile(t *testing.T) {
	for _, c := range []struct{ name, text, fault string }{
		{"nothing", "rodata_mcp", ""},
		{"everything", "rodata_mcp {\n allowed_origins https://app.example.ro http://localhost:3000\n max_body 128KiB\n timeout 5s\n}", ""},
		{"a surplus argument", "rodata_mcp /x", "wrong argument count"},
		{"an unknown option", "rodata_mcp {\n origins *\n}", `unknown option "origins"`},
		{"an option twice", "rodata_mcp {\n timeout 5s\n timeout 6s\n}", "timeout is given twice"},
		{"an option without a value", "rodata_mcp {\n timeout\n}", "wrong argument count"},
		{"no origins", "rodata_mcp {\n allowed_origins\n}", "wrong argument count"},
		{"two sizes", "rodata_mcp {\n max_body 1KiB 2KiB\n}", "wrong argument count"},
		{"a size that is none", "rodata_mcp {\n max_body much\n}", `max_body "much"`},
		{"a size beyond reason", "rodata_mcp {\n max_body 1TiB\n}", `max_body "1TiB"`},
		{"a timeout that is none", "rodata_mcp {\n timeout -5s\n}", `timeout "-5s"`},
		{"an origin with a path", "rodata_mcp {\n allowed_origins https://app.example.ro/x\n}", "is not an origin"},
		{"an origin without a scheme", "rodata_mcp {\n allowed_origins app.example.ro\n}", "is not an origin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := new(Module)
			err := m.UnmarshalCaddyfile(caddyfile.NewTestDispenser(c.text))
			if c.fault == "" {
				if err != nil || m.Validate() != nil {
					t.Fatal(err, m.Validate())
				}
			} else if err == nil || !strings.Contains(err.Error(), c.fault) || !strings.Contains(err.Error(), "Testfile:") {
				t.Fatalf("got %v, want %q with its line", err, c.fault)
			}
			if c.name == "everything" && (m.MaxBody != 128<<10 || m.Timeout != caddy.Duration(5*time.Second) || !slices.Equal(m.AllowedOrigins, []string{"https://app.example.ro", "http://localhost:3000"})) {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	for _, m := range []*Module{{MaxBody: -1}, {Timeout: -1}, {AllowedOrigins: []string{"example"}}} {
		if m.Validate() == nil {
			t.Errorf("%+v is accepted", m)
		}
	}
}

// fakeService is an app that counts the requests in it.
type fakeService struct {
	*world
	down    bool
	entered int
}

func (s *fakeService) Enter() bool                  { s.entered++; return !s.down }
func (s *fakeService) Leave()                       { s.entered-- }
func (s *fakeService) Gateway() *api.Gateway        { return s.world.Gateway }
func (s *fakeService) Operations() []*api.Operation { return s.world.Operations }
func (s *fakeService) URL(*http.Request) string     { return "https://api.example.ro" }
func (s *fakeService) Challenge() string            { return "" }

func TestModuleAnswersAtItsPath(t *testing.T) {
	service := &fakeService{world: newWorld(t)}
	m := &Module{service: service}
	next := caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(http.StatusTeapot); return nil })
	send := func(path string) (int, error) {
		r := httptest.NewRequest("POST", path, strings.NewReader(list))
		r.Header.Set("Content-Type", "application/json")
		r = r.WithContext(context.WithValue(r.Context(), caddyhttp.VarsCtxKey, make(map[string]any)))
		caddyhttp.SetVar(r.Context(), caddyhttp.ClientIPVarKey, "192.0.2.9")
		if got := clientAddress(r).String(); got != "192.0.2.9" {
			t.Errorf("address %s", got)
		}
		w := httptest.NewRecorder()
		err := m.ServeHTTP(w, r, next)
		return w.Code, err
	}
	for path, want := range map[string]int{"/mcp": 200, "/mcp/": 200, "/mcp/x": 418, "/": 418, "/mcpx": 418} {
		if code, err := send(path); code != want || err != nil {
			t.Errorf("%s: %d %v", path, code, err)
		}
	}
	if service.entered != 0 {
		t.Errorf("%d requests have not left", service.entered)
	}
	service.down = true
	if _, err := send("/mcp"); err == nil {
		t.Error("an app that does not run serves")
	}
	if err := m.Cleanup(); err != nil {
		t.Error(err)
	}
	select {
	case <-m.handler.streams.closed:
	default:
		t.Error("cleaning up does not end the streams")
	}
	fresh := &Module{service: &fakeService{world: newWorld(t)}}
	_ = fresh.Cleanup()
	m = fresh
	if _, err := send("/mcp"); err == nil {
		t.Error("a replaced module serves")
	}
}

// A request whose configuration was replaced while its header was being read is
// answered by the module of the same settings in the new one.
func TestLateRequestMeetsTheSuccessor(t *testing.T) {
	replaced := &Module{service: &fakeService{world: newWorld(t), down: true}, MaxBody: 1 << 10}
	another := &Module{service: &fakeService{world: newWorld(t)}, MaxBody: 2 << 10}
	successor := &Module{service: &fakeService{world: newWorld(t)}, MaxBody: 1 << 10}
	send := func() error {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(list))
		r.Header.Set("Content-Type", "application/json")
		r = r.WithContext(context.WithValue(r.Context(), caddyhttp.VarsCtxKey, make(map[string]any)))
		return replaced.ServeHTTP(httptest.NewRecorder(), r, nil)
	}
	for _, m := range []*Module{replaced, another} {
		m.enlist()
	}
	if send() == nil {
		t.Error("a module of other settings answers")
	}
	successor.enlist()
	if err := send(); err != nil {
		t.Error(err)
	}
	for _, m := range []*Module{replaced, another, successor} {
		if err := m.Cleanup(); err != nil {
			t.Error(err)
		}
	}
	if send() == nil {
		t.Error("a replaced module serves")
	}
}
