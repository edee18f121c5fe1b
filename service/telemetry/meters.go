// Package telemetry contains the gateway's metrics and its spans.
package telemetry

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/trace"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/upstream"
)

// Meters are the counters and histograms of a gateway. They survive reloads. The number of label values is bounded:
// companies, keys and addresses are never labels.
type Meters struct {
	prometheus.Collector // of all of the following

	requests    *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	ratelimit   *prometheus.CounterVec
	calls       *prometheus.CounterVec
	callSeconds *prometheus.HistogramVec
	batchSizes  prometheus.Observer
	stale       *peaks
	refusedKeys *prometheus.CounterVec
	// observed counts the companies whose observations were stored, unobserved the answers that could not be stored.
	observed, unobserved prometheus.Counter
	deliveries           *prometheus.CounterVec
}

// NewMeters returns meters whose counters are at zero.
func NewMeters() *Meters {
	registry := prometheus.NewRegistry()
	create := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return create.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return create.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}

	m := &Meters{
		Collector: registry,
		requests: counter("rodata_requests_total", "Calls answered, by operation, HTTP status and channel (rest, mcp).",
			"operation", "status", "channel"),
		seconds: histogram("rodata_request_seconds", "Time from a call's arrival to its answer.",
			[]float64{.0001, .001, .01, .1, .5, 1, 2.5, 5, 10, 30}, "operation"),
		ratelimit: counter("rodata_ratelimit_total",
			"Calls that the rate limits allowed or limited, by the bucket charged: a key's or an address's.",
			"scope", "result"),
		calls: counter("rodata_upstream_total",
			"Requests to a registry by outcome; not_asked counts requests that its circuit breaker rejected.",
			"upstream", "outcome"),
		callSeconds: histogram("rodata_upstream_seconds", "Duration of requests to a registry, successful or not.",
			[]float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 15}, "upstream"),
		batchSizes: histogram("rodata_batch_size", "Companies in a request to the tax authority.",
			[]float64{1, 2, 5, 10, 20, 50, 100, 200, 500}).WithLabelValues(),
		stale: newPeaks(),
		refusedKeys: counter("rodata_keys_refused_total",
			"Refused API keys by reason: malformed, such as a typing error or a scheme other than Bearer (checksum); "+
				"unknown, revoked or expired (unknown).", "reason"),
		observed: counter("rodata_history_observations_total",
			"Records of the tax authority that were stored as observations, including unchanged ones.").
			WithLabelValues(),
		unobserved: counter("rodata_history_failures_total",
			"Answers of the tax authority that could not be stored as observations; callers received them.").
			WithLabelValues(),
		deliveries: counter("rodata_webhook_deliveries_total",
			"Attempts to deliver an event to a webhook, by result: delivered, retried (failed, to be repeated) or "+
				"failed (given up).", "result"),
	}

	registry.MustRegister(m.stale)

	for _, result := range []string{"delivered", "retried", "failed"} {
		m.deliveries.WithLabelValues(result)
	}

	for _, why := range []account.Refusal{account.BadChecksum, account.NotKnown} {
		m.refusedKeys.WithLabelValues(string(why)) // starts at 0, so that rate() sees the first one
	}

	return m
}

// BatchSize records the number of companies in a request to the tax authority.
func (m *Meters) BatchSize(companies int) { m.batchSizes.Observe(float64(companies)) }

// CountObserved counts the stored observations of an answer of the tax authority, or its failure.
func (m *Meters) CountObserved(companies int, err error) {
	if err != nil {
		m.unobserved.Inc()
		return
	}

	m.observed.Add(float64(companies))
}

// CountDelivery counts an attempt to deliver an event to a webhook, by its outcome.
func (m *Meters) CountDelivery(result string) { m.deliveries.WithLabelValues(result).Inc() }

// CountRefusedKey counts a rejected API key.
func (m *Meters) CountRefusedKey(why account.Refusal) {
	m.refusedKeys.WithLabelValues(string(why)).Inc()
}

// The outcomes of a request to a registry.
const (
	outcomeOK        = "ok"        // answered, including "unknown company"
	outcomeError     = "error"     // connection refused or reset, or a malformed response
	outcomeTimeout   = "timeout"   // no answer in time
	outcomeWait      = "wait"      // the registry asked for a pause
	outcomeRejected  = "rejected"  // the registry rejected the request
	outcomeCancelled = "cancelled" // the last caller left
	outcomeNotAsked  = "not_asked" // stopped by the breaker
)

// RegistryMeter counts and times the requests to a registry.
type RegistryMeter struct {
	name     string
	outcomes *prometheus.CounterVec
	seconds  prometheus.Observer
}

// Registry returns the meter of a registry. Its counters start at 0, so that rate() sees the first failure.
func (m *Meters) Registry(name string) RegistryMeter {
	r := RegistryMeter{name, m.calls.MustCurryWith(prometheus.Labels{"upstream": name}),
		m.callSeconds.WithLabelValues(name)}
	for _, outcome := range []string{
		outcomeOK, outcomeError, outcomeTimeout, outcomeWait, outcomeRejected, outcomeCancelled, outcomeNotAsked,
	} {
		r.outcomes.WithLabelValues(outcome)
	}

	return r
}

// Count records a request that started at the given time and ended with err. It reports whether the request was sent at
// all.
func (r RegistryMeter) Count(start time.Time, err error) bool {
	outcome := outcomeOf(err)
	r.outcomes.WithLabelValues(outcome).Inc()
	if outcome == outcomeNotAsked {
		return false
	}

	r.seconds.Observe(time.Since(start).Seconds())
	return true
}

// Begin starts the span and the clock of a request. The returned function ends both, and counts the request.
func (r RegistryMeter) Begin(ctx context.Context) (_ context.Context, end func(error)) {
	start := time.Now()
	ctx, span := StartSpan(ctx, "upstream."+r.name, trace.WithSpanKind(trace.SpanKindClient))
	return ctx, func(err error) {
		r.Count(start, err)
		endSpan(span, err)
	}
}

func outcomeOf(err error) string {
	failure, ok := errors.AsType[*op.Failure](err)
	switch {
	case err == nil, errors.Is(err, op.ErrUnknown):
		return outcomeOK
	case errors.Is(err, upstream.ErrNotSent):
		return outcomeNotAsked
	case errors.Is(err, upstream.ErrRejected):
		return outcomeRejected
	case errors.Is(err, context.Canceled):
		return outcomeCancelled
	case ok && failure.Kind == op.TimedOut:
		return outcomeTimeout
	case ok && failure.Kind == op.Closed:
		return outcomeWait
	}

	return outcomeError
}
