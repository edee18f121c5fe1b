package caddymodule

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// meters are the counters that live as long as the core. Labels are bounded: no
// company, key or address is among them.
type meters struct {
	requests    *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	ratelimit   *prometheus.CounterVec
	calls       *prometheus.CounterVec
	callSeconds *prometheus.HistogramVec
	batches     prometheus.Histogram
	stale       *peaks
	refusedKeys *prometheus.CounterVec
}

func newMeters() *meters {
	m := &meters{
		requests: counter("rodata_requests_total", "Operations answered, by HTTP status and channel (rest, mcp).", "operation", "status", "channel"),
		seconds: histogram("rodata_request_seconds", "Time from a call's arrival at the gateway to its answer.",
			[]float64{.0001, .001, .01, .1, .5, 1, 2.5, 5, 10, 30}, "operation"),
		ratelimit: counter("rodata_ratelimit_total", "Calls that the rate limits let through (allowed) or not (limited), by whose bucket they drew on: a key's or an address's.", "scope", "result"),
		calls:     counter("rodata_upstream_total", "Requests to a registry, by how they ended; not_asked are those that its breaker kept back.", "upstream", "outcome"),
		callSeconds: histogram("rodata_upstream_seconds", "Time that a registry took for a request, however it ended.",
			[]float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 15}, "upstream"),
		batches: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "rodata_batch_size", Help: "Companies in a request to the tax authority.", Buckets: []float64{1, 2, 5, 10, 20, 50, 100},
		}),
		stale:       newPeaks(),
		refusedKeys: counter("rodata_keys_refused_total", "API keys that were not accepted: mistyped or no keys at all, as with another scheme than Bearer (checksum), or unknown, revoked or expired (unknown).", "reason"),
	}
	for _, why := range []account.Refusal{account.BadChecksum, account.NotKnown} {
		m.refusedKeys.WithLabelValues(string(why)) // begins at 0, so that the first one is seen as a rise
	}
	return m
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// collectors are all of them.
func (m *meters) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.requests, m.seconds, m.ratelimit, m.calls, m.callSeconds, m.batches, m.stale, m.refusedKeys}
}

// refusedKey counts a key that was not accepted.
func (m *meters) refusedKey(why account.Refusal) {
	m.refusedKeys.WithLabelValues(string(why)).Inc()
}

// The ways in which a request to a registry ends.
const (
	outcomeOK        = "ok"        // answered, also with "unknown"
	outcomeError     = "error"     // refused, reset, or answered with what is no answer
	outcomeTimeout   = "timeout"   // did not answer in time
	outcomeWait      = "wait"      // asked to be left alone for a while
	outcomeRejected  = "rejected"  // did not accept what it was asked
	outcomeCancelled = "cancelled" // nobody waited any more
	outcomeNotAsked  = "not_asked" // kept back by the breaker
)

// registryMeter counts the requests to one registry.
type registryMeter struct {
	outcomes *prometheus.CounterVec
	seconds  prometheus.Observer
}

// registry is the meter of a registry; its counters begin at 0, so that a first
// failure is seen as a rise.
func (m *meters) registry(name string) registryMeter {
	r := registryMeter{m.calls.MustCurryWith(prometheus.Labels{"upstream": name}), m.callSeconds.WithLabelValues(name)}
	for _, outcome := range []string{outcomeOK, outcomeError, outcomeTimeout, outcomeWait, outcomeRejected, outcomeCancelled, outcomeNotAsked} {
		r.outcomes.WithLabelValues(outcome)
	}
	return r
}

// count takes down a request that began at an instant. It reports whether the
// registry was asked at all.
func (r registryMeter) count(start time.Time, err error) bool {
	outcome := outcomeOf(err)
	r.outcomes.WithLabelValues(outcome).Inc()
	if outcome == outcomeNotAsked {
		return false
	}
	r.seconds.Observe(time.Since(start).Seconds())
	return true
}

func outcomeOf(err error) string {
	var failure *api.Failure
	switch {
	case err == nil, errors.Is(err, api.ErrUnknown):
		return outcomeOK
	case errors.Is(err, upstream.ErrNotAsked):
		return outcomeNotAsked
	case errors.Is(err, upstream.ErrRejected):
		return outcomeRejected
	case errors.Is(err, context.Canceled):
		return outcomeCancelled
	case errors.As(err, &failure) && failure.Kind == api.TimedOut:
		return outcomeTimeout
	case errors.As(err, &failure) && failure.Kind == api.Closed:
		return outcomeWait
	}
	return outcomeError
}
