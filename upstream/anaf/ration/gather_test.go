package ration

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/anaf"
)

// Companies that are queued in the background one after the other share a call. A call for a caller starts at once.
func TestBackgroundRequestsGather(t *testing.T) {
	for _, c := range []struct {
		name   string
		queued int
		caller bool
		size   int
		after  time.Duration
	}{
		{"few", 50, false, 50, gatherTime},
		{"enough for a call", anaf.MaxBatch + 20, false, anaf.MaxBatch, (anaf.MaxBatch - 1) * time.Microsecond},
		{"a caller comes", 50, true, 51, 50 * time.Microsecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := new(ledger)
			bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
				facts := companies(t, current(l.Company))
				began := time.Now()
				for i := range c.queued {
					facts.Prefetch(t.Context(), invented.CUI(500+i))
					synctest.Wait()
					<-time.After(time.Microsecond)
				}

				if c.caller {
					if _, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{}); err != nil {
						t.Error(err)
					}
				}

				<-time.After(time.Second / 2)
				if len(r.batches) != 1 || len(r.batches[0]) != c.size || r.starts[0].Sub(began) != c.after {
					t.Errorf("calls at %v about %v, want one of %d after %v", r.starts, r.batches, c.size, c.after)
				}
			})
		})
	}
}
