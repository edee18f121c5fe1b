package search

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
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

// querySets returns the usual mix of queries, and that of the slowest.
func querySets() []kind {
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

	return sets
}

// measureKinds measures a search by kind of query. Every search gets the same firms.
func measureKinds(b *testing.B, x *Index, search func(Query) error) {
	for _, k := range append(querySets(), kinds...) {
		b.Run(k.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 3))
			var took []time.Duration
			for b.Loop() {
				q := k.make(r, x.At(r.Uint32N(uint32(x.Len()))))
				start := time.Now()
				testkit.NoError(b, search(q))

				took = append(took, time.Since(start))
			}

			reportTimes(b, "", took)
		})
	}
}

// reportTimes reports percentiles of times.
func reportTimes(b *testing.B, prefix string, took []time.Duration) {
	slices.Sort(took)
	for _, p := range []struct {
		name string
		part float64
	}{{"p50-µs", 0.5}, {"p95-µs", 0.95}, {"p99-µs", 0.99}, {"max-µs", 1}} {
		at := min(len(took)-1, int(p.part*float64(len(took))))
		b.ReportMetric(float64(took[at].Nanoseconds())/1000, prefix+p.name)
	}

	b.ReportMetric(0, "ns/op")
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

// BenchmarkSearchByFigures measures the usual mix and the slowest queries, each with and without two ranges and sorted
// by turnover. The range of turnover has a bound that a firm has. A fifth of the firms, as in reality, has a statement.
// The time of a query is the fastest of five, so that other work on the machine does not count.
func BenchmarkSearchByFigures(b *testing.B) {
	x := indexOf(b, size(b))
	ids, by := inventedStatements(x)
	debug.FreeOSMemory()
	before, began := memory(b, "RssAnon"), time.Now()
	figures := mustFigures(b, x, ids, by)
	took := time.Since(began)
	debug.FreeOSMemory()
	b.Logf("%d statements take %.0f MiB, and %s to build", len(ids), memory(b, "RssAnon")-before, took)

	ways := []struct {
		name   string
		change func(r *rand.Rand, q *Query)
	}{
		{"without", func(*rand.Rand, *Query) {}},
		{"ranges", func(r *rand.Rand, q *Query) {
			q.Figures = figures
			q.Ranges[company.TurnoverFigure].Min = by[pick(r, ids)].figures[company.TurnoverFigure]
			q.Ranges[company.NetResultFigure].Min = new(int64(-100_000))
		}},
		{"sorted", func(r *rand.Rand, q *Query) {
			q.Figures, q.Sort, q.Direction = figures, "turnover", direction(r)
		}},
	}
	for _, set := range querySets() {
		b.Run(set.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 3))
			took := make([][]time.Duration, len(ways))
			for b.Loop() {
				asked := set.make(r, x.At(r.Uint32N(uint32(x.Len()))))
				for i := range ways {
					q, fastest := asked, time.Hour
					ways[i].change(r, &q)
					for range 5 {
						start := time.Now()
						_, err := x.Search(b.Context(), q)
						testkit.NoError(b, err)

						fastest = min(fastest, time.Since(start))
					}

					took[i] = append(took[i], fastest)
				}
			}

			for i := range ways {
				reportTimes(b, ways[i].name+"-", took[i])
			}
		})
	}
}
