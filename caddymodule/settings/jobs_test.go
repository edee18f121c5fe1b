package settings

import (
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/testkit"
)

// The limits of a Caddyfile are those of the jobs.
func TestLimitsOfJobs(t *testing.T) {
	var s Settings
	d := caddyfile.NewTestDispenser(`rodata {
		jobs {
			share 30%
			rows 1000
			unfinished 3
			kept 40
			storage 5MiB
			result 6GiB
		}
	}`)
	d.Next()
	testkit.NoError(t, s.UnmarshalCaddyfile(d))
	want := jobs.Limits{Limits: upload.Limits{Rows: 1000}, Unfinished: 3, Kept: 40, Storage: 5 << 20, Result: 6 << 30}
	if got := s.Jobs.Limits(); got != want || s.Jobs.Fraction() != 0.3 {
		t.Errorf("got %+v and a share of %g, want %+v", got, s.Jobs.Fraction(), want)
	}
}
