package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// BenchmarkSearch reports the latency of each kind of query, of the usual mix and of the slowest queries, with
// RODATA_TEST_FIRMS firms.
func BenchmarkSearch(b *testing.B) {
	x := indexOf(b, size(b))
	measureKinds(b, x, func(q Query) error {
		_, err := x.Search(context.Background(), q)
		return err
	})
}

// measureKinds measures a search by kind of query. Every search gets the same firms.
func measureKinds(b *testing.B, x *Index, search func(Query) error) {
	sets := []kind{{name: "usual mix"}, {name: "worst set", worst: true}}
	for i := range sets {
		mix := sets[i].worst
		sets[i].make = func(r *rand.Rand, f Firm) Query {
			for {
				if k := pick(r, kinds); k.worst == mix {
					return k.make(r, f)
				}
			}
		}
	}

	for _, k := range append(sets, kinds...) {
		b.Run(k.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 3))
			var took []time.Duration
			for b.Loop() {
				q := k.make(r, x.At(r.Uint32N(uint32(x.Len()))))
				start := time.Now()
				testkit.NoError(b, search(q))

				took = append(took, time.Since(start))
			}

			slices.Sort(took)
			for _, p := range []struct {
				name string
				part float64
			}{{"p50-µs", 0.5}, {"p95-µs", 0.95}, {"p99-µs", 0.99}, {"max-µs", 1}} {
				at := min(len(took)-1, int(p.part*float64(len(took))))
				b.ReportMetric(float64(took[at].Nanoseconds())/1000, p.name)
			}

			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSearchByStatuses is like BenchmarkSearch with two status filters. Nine in ten firms have been looked up.
func BenchmarkSearchByStatuses(b *testing.B) {
	x := indexOf(b, size(b))
	looks, r := NewLooks(), rand.New(rand.NewPCG(4, 4))
	for doc := range uint32(x.Len()) {
		if id := x.At(doc).TaxID; id != 0 && r.IntN(10) > 0 {
			x.Learn(looks, id, statuses(1+r.IntN(2), 1+r.IntN(2), 1+r.IntN(2)))
		}
	}

	measureKinds(b, x, func(q Query) error {
		q.Statuses, q.Looks = statuses(2, 1, 0), looks
		_, err := x.Search(context.Background(), q)
		return err
	})
}
