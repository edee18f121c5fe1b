package op

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

func TestPolicyHeaders(t *testing.T) {
	for _, c := range []struct {
		name          string
		rate          metering.Rate
		remaining     int
		policy, state string
	}{
		{"pro", metering.PerSecond(20, 60), 59, `"pro";q=60;w=3`, `"pro";r=59;t=1`},
		{"pro", metering.PerSecond(20, 60), 1, `"pro";q=60;w=3`, `"pro";r=1;t=3`},
		{"pro", metering.PerSecond(20, 60), 0, `"pro";q=60;w=3`, `"pro";r=0;t=1`},
		{"anonymous", metering.Anonymous, 9, `"anonymous";q=10;w=10`, `"anonymous";r=9;t=1`},
		{"anonymous", metering.Anonymous, 1, `"anonymous";q=10;w=10`, `"anonymous";r=1;t=9`},
		{"odd", metering.PerSecond(3, 10), 5, `"odd";q=10;w=4`, `"odd";r=5;t=2`},
		{"wide", metering.PerSecond(5, 5000), 2000, `"wide";q=5000;w=1000`, `"wide";r=2000;t=600`},
	} {
		reply := Reply{Problem: problem.NotFound.New("no matter"), Policy: NewPolicy(c.name, c.rate),
			Allowance: metering.Allowance{Rate: c.rate, Remaining: c.remaining}}
		h := http.Header{}
		reply.WriteHeader(h)
		if policy, state := value(h, "RateLimit-Policy"), value(h, "RateLimit"); policy != c.policy ||
			state != c.state {
			t.Errorf("%v with %d left: %s and %s, want %s and %s", c.rate, c.remaining, policy, state,
				c.policy, c.state)
		}
	}
}

func BenchmarkRateLimitHeaders(b *testing.B) {
	for _, c := range []struct {
		name      string
		remaining int
	}{{"shared", 59}, {"beyond", sharedStates + 59}} {
		b.Run(c.name, func(b *testing.B) {
			p := NewPolicy("pro", metering.PerSecond(20, 10_000))
			b.ReportAllocs()
			for b.Loop() {
				p.state(c.remaining)
			}
		})
	}
}

// value returns the values of a header.
func value(h http.Header, name string) string { return strings.Join(h[name], ", ") }
