// Package caller calls operations by their routes, in process, for tests and benchmarks of registries.
package caller

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/rest"
)

// Caller calls operations without a key and without limits.
type Caller struct {
	router  *rest.Router
	gateway *op.Gateway
}

// New returns a caller of the operations over the registries.
func New(r api.Registries) *Caller {
	return &Caller{
		router:  rest.NewRouter(api.Operations(r, nil, system.About{})),
		gateway: &op.Gateway{Anonymous: metering.PerSecond(1e6, 1e6), Buckets: metering.NewBuckets()},
	}
}

// Get calls the operation at a path, which may have a query.
func (c *Caller) Get(t testing.TB, target string) op.Reply {
	t.Helper()
	path, query, _ := strings.Cut(target, "?")
	o, inPath, _ := c.router.Match("GET", path)
	args, malformed := op.ArgsFromQuery(query)
	return *c.gateway.Do(t.Context(), o, &op.Call{Channel: "rest", InPath: inPath, Args: args, Malformed: malformed})
}

// Read makes a call that must succeed, and decodes its answer.
func Read[T any](t testing.TB, c *Caller, target string) (answer T) {
	t.Helper()
	reply := c.Get(t, target)
	if reply.Problem != nil {
		t.Fatalf("%s: %v", target, reply.Problem)
	}
	if err := json.Unmarshal(reply.Document.JSON, &answer); err != nil {
		t.Fatalf("%s: %v", target, err)
	}

	return answer
}

// The goals for answers that need no registry.
const (
	medianWithin = 200 * time.Microsecond
	p99Within    = 2 * time.Millisecond
)

// BenchmarkAnswers makes calls one after the other, and reports the median and 99th percentile of their durations. It
// fails if they miss their goals, or if a reply is not accepted; nil accepts all replies without a problem.
func (c *Caller) BenchmarkAnswers(b *testing.B, targets []string, accepted func(op.Reply) bool) {
	if accepted == nil {
		accepted = func(r op.Reply) bool { return r.Problem == nil }
	}

	took := make([]time.Duration, 0, len(targets))
	for b.Loop() {
		took = took[:0]
		for _, target := range targets {
			start := time.Now()
			if reply := c.Get(b, target); !accepted(reply) {
				b.Fatalf("%s: %v", target, reply.Problem)
			}

			took = append(took, time.Since(start))
		}
	}

	slices.Sort(took)
	median, p99 := took[len(took)/2], took[len(took)*99/100]
	b.ReportMetric(float64(len(targets)), "queries")
	b.ReportMetric(float64(median)/1e3, "µs-median")
	b.ReportMetric(float64(p99)/1e3, "µs-p99")
	b.ReportMetric(float64(took[len(took)-1])/1e3, "µs-max")
	if median > medianWithin || p99 > p99Within {
		b.Errorf("median %v, p99 %v", median, p99)
	}
}
