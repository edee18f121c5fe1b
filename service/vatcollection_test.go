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
		l := shares{log: quiet}
		v, err := openVATRegister(&l, &settings.ANAFFiles{Connection: settings.Connection{URL: registries.Files.URL}},
			dir,
			telemetry.NewMeters())
		testkit.NoError(t, err)

		t.Cleanup(func() {
			if err := l.release(); err != nil {
				t.Error(err)
			}
		})
		return v
	}
	reaches := func(v *vatRegister, state string) {
		t.Helper()
		testkit.Until(t, "the state is "+state, func() bool { return v.status().State == state })
	}

	dir := t.TempDir()
	registries.Files.Always(standin.Status(http.StatusNotFound, 0))
	absent := open(t.TempDir())
	reaches(absent, "down")
	if s := absent.status(); s.AsOf != nil || s.LastSuccess != nil || !absent.dataTime().IsZero() {
		t.Errorf("without a file: %+v", s)
	}

	registries.Files.Always(standin.Fault{})
	held := open(dir)
	reaches(held, "ok")
	if s := held.status(); s.AsOf == nil || s.LastSuccess == nil || held.dataTime().IsZero() ||
		s.Name != "anaf-vat-collection" || s.Breaker != "closed" {
		t.Errorf("with a file: %+v", s)
	}
}

func TestVATRegisterIsOff(t *testing.T) {
	var l shares
	v, err := openVATRegister(&l, &settings.ANAFFiles{Off: true}, t.TempDir(), telemetry.NewMeters())
	if v != nil || err != nil || len(l.keys) > 0 {
		t.Errorf("got %v, %v and %d shares", v, err, len(l.keys))
	}
}
