package telemetry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream"
)

// reading is the result of a scrape of a collector, by label values in the order of their names; for a histogram, the
// number of observations.
func reading(t *testing.T, c prometheus.Collector) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	testkit.NoError(t, err)

	found := make(map[string]float64)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}

			found[strings.Join(labels, " ")] = m.GetCounter().GetValue() + m.GetGauge().GetValue() +
				float64(m.GetHistogram().GetSampleCount())
		}
	}

	return found
}

func TestOutcomes(t *testing.T) {
	failure := func(kind op.FailureKind, err error) error {
		return fmt.Errorf("asking: %w", &op.Failure{Registry: "anaf", Kind: kind, Err: err})
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"answered":       {nil, "ok"},
		"unknown":        {op.ErrUnknown, "ok"},
		"broken":         {failure(op.Broken, upstream.ErrConnection), "error"},
		"timed out":      {failure(op.TimedOut, context.DeadlineExceeded), "timeout"},
		"asked to wait":  {failure(op.Closed, errors.New("status 429")), "wait"},
		"breaker open":   {failure(op.Closed, upstream.ErrNotSent), "not_asked"},
		"rejected":       {failure(op.Broken, upstream.ErrRejected), "rejected"},
		"nobody waits":   {failure(op.Broken, context.Canceled), "cancelled"},
		"something else": {errors.New("panic"), "error"},
	} {
		m := NewMeters()
		asked := m.Registry("anaf").Count(time.Now(), c.err)
		if got := reading(t, m.calls)[c.want+" anaf"]; got != 1 {
			t.Errorf("%s: counted %v times as %s", name, got, c.want)
		}

		timed := reading(t, m.callSeconds)["anaf"] == 1
		if notAsked := c.want == "not_asked"; asked == notAsked || timed == notAsked {
			t.Errorf("%s: asked %v, timed %v", name, asked, timed)
		}
	}
}

func TestRateLimitsAreCountedByBucket(t *testing.T) {
	operation := &op.Operation{Spec: op.Spec{Name: "get_company", Success: 200}}
	m := NewMeters()
	observe := m.Observer([]*op.Operation{operation}, untraced)
	rate := metering.PerSecond(1, 1)
	key := account.Caller{Key: &account.Key{Account: "account-1"}}
	for _, o := range []op.Observation{
		{Caller: key, Reply: op.Reply{Allowance: metering.Allowance{OK: true, Rate: rate}}},
		{Caller: key, Reply: op.Reply{Allowance: metering.Allowance{Rate: rate}}},
		{Reply: op.Reply{Allowance: metering.Allowance{Rate: rate}}},
		{Reply: op.Reply{}}, // rejected before it could draw on a bucket
	} {
		o.Operation, o.Channel = operation, "rest"
		observe(t.Context(), &o)
	}

	want := map[string]float64{"allowed key": 1, "limited key": 1, "allowed address": 0, "limited address": 1}
	if got := reading(t, m.ratelimit); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The stalest answer is shown for 5 to 10 minutes, and no longer.
func TestPeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeaks()
		p.add("get_company")
		shown := func() float64 { return reading(t, p)["get_company"] }
		note := func(by time.Duration) { p.note("get_company", time.Now(), by) }
		wait := func(d time.Duration) { <-time.After(d) }

		if got := shown(); got != 0 {
			t.Errorf("nothing was stale: %v", got)
		}

		note(time.Hour)
		note(time.Minute)
		p.note("of no operation", time.Now(), 9*time.Hour)
		if got := shown(); got != 3600 {
			t.Errorf("at once: %v", got)
		}

		wait(6 * time.Minute)
		note(time.Minute)
		if got := shown(); got != 3600 {
			t.Errorf("after 6 minutes: %v", got)
		}

		wait(5 * time.Minute)
		if got := shown(); got != 60 {
			t.Errorf("after 11 minutes: %v", got)
		}

		wait(time.Hour)
		if got := shown(); got != 0 {
			t.Errorf("after an hour: %v", got)
		}
	})
}

func untraced(context.Context, *op.Observation) (traced bool) { return false }
