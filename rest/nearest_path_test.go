package rest

import (
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/system"
)

// A long unknown path costs about as much as a short one. Comparing one of 30 KB with all routes takes 200 times as
// long; the limit leaves room for a busy machine.
func TestLongUnknownPathsAreCheap(t *testing.T) {
	r := NewRouter(api.Operations(api.Registries{}, nil, system.About{}))
	cost := func(path string) time.Duration {
		best := time.Hour
		for range 20 {
			start := time.Now()
			r.NothingAt(path, "")
			best = min(best, time.Since(start))
		}
		return best
	}
	short, many := cost("/v1/compani/9900000010"), strings.Repeat("a", 30_000)
	for _, path := range []string{"/v1/" + many, "/v1/compani/" + many, "/v1/" + strings.Repeat("a/", 15_000),
		"/v1/companies/" + many + "/statu", strings.Repeat("/v1", 10_000)} {
		if long := cost(path); long > 20*short {
			t.Errorf("%s... takes %v, and a short one %v", path[:20], long, short)
		}
	}
}
