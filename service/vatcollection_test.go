package service

import (
	"net/http"
	"testing"

	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// TestVATRegister opens the register on the stand-in: it is down while there is no file, and ok once there is one.
func TestVATRegister(t *testing.T) {
	registries := standin.For(t, standin.Options{})

	open := func(dir string) *vatRegister {
		t.Helper()
		s := newVATRegister(t, dir, settings.ANAFFiles{Connection: settings.Connection{URL: registries.Files.URL}})
		t.Cleanup(func() {
			if err := s.shares.release(); err != nil {
				t.Error(err)
			}
		})
		return s.vat
	}
	reaches := func(v *vatRegister, state string) {
		t.Helper()
		testkit.Until(t, "the state is "+state, func() bool { return v.status().State == state })
	}

	dir := t.TempDir()
	registries.Files.Always(standin.Status(http.StatusNotFound, 0))
	absent := open(t.TempDir())
	reaches(absent, "down")
	if s := absent.status(); s.AsOf != nil || s.LastSuccess != nil || !s.DataTime.IsZero() {
		t.Errorf("without a file: %+v", s)
	}

	registries.Files.Always(standin.Fault{})
	held := open(dir)
	reaches(held, "ok")
	if s := held.status(); s.AsOf == nil || s.LastSuccess == nil || s.DataTime.IsZero() ||
		s.Name != "anaf-vat-collection" || s.Breaker != "closed" {
		t.Errorf("with a file: %+v", s)
	}
}

func TestVATRegisterIsOff(t *testing.T) {
	s := newVATRegister(t, t.TempDir(), settings.ANAFFiles{Off: true})
	if s.vat != nil || len(s.shares) > 0 {
		t.Errorf("got %v and %d shares", s.vat, len(s.shares))
	}
}

// newVATRegister returns a service that has opened only the register.
func newVATRegister(t *testing.T, dir string, a settings.ANAFFiles) *Service {
	t.Helper()
	s := &Service{live: quiet, core: &core{meters: telemetry.NewMeters()}}
	c := Config{Settings: &settings.Settings{DataDir: dir, Upstreams: settings.Upstreams{ANAFFiles: a}}}
	testkit.NoError(t, s.openVATRegister(&c))
	return s
}
