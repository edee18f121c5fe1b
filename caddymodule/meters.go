package caddymodule

import (
	"context"
	"strconv"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap/zapcore"

	"github.com/rodata/rodata/api"
)

// meters are the counters that live as long as the core. Every configuration has
// a registry of its own, in which they are registered anew. Labels are bounded:
// no company, key or address is among them.
type meters struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMeters() *meters {
	return &meters{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "rodata_requests_total", Help: "Operations answered, by HTTP status and channel (rest, mcp).",
		}, []string{"operation", "status", "channel"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "rodata_request_seconds", Help: "Time from a call's arrival at the gateway to its answer.",
			Buckets: []float64{.0001, .001, .01, .1, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation"}),
	}
}

// observer counts a call and hands it to the access log. It runs for every
// request, so what can be looked up in advance is.
func (m *meters) observer(ops []*api.Operation) func(context.Context, *api.Observation) {
	type tally struct {
		seconds prometheus.Observer
		success map[string]prometheus.Counter // by channel
	}
	tallies := make(map[*api.Operation]tally, len(ops))
	for _, op := range ops {
		success := make(map[string]prometheus.Counter)
		for _, channel := range []string{"rest", "mcp"} {
			success[channel] = m.requests.WithLabelValues(op.Name, strconv.Itoa(op.Success), channel)
		}
		tallies[op] = tally{m.seconds.WithLabelValues(op.Name), success}
	}
	return func(ctx context.Context, o *api.Observation) {
		tally := tallies[o.Operation]
		if o.Reply.Status == o.Operation.Success {
			tally.success[o.Channel].Inc()
		} else {
			m.requests.WithLabelValues(o.Operation.Name, strconv.Itoa(o.Reply.Status), o.Channel).Inc()
		}
		tally.seconds.Observe(o.Duration.Seconds())
		caddyhttp.SetVar(ctx, accessVar, (*accessEntry)(o))
	}
}

// accessVar is the variable in which the access log finds the entry of a call:
// log_append rodata {http.vars.rodata}.
const accessVar = "rodata"

// accessEntry is a call in the access log: whose, which, and what it cost, and no
// secret.
type accessEntry api.Observation

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (o *accessEntry) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	enc.AddString("operation", o.Operation.Name)
	enc.AddString("channel", o.Channel)
	if o.Caller.Key != nil {
		enc.AddString("key_id", o.Caller.Key.ID)
		enc.AddString("account_id", o.Caller.Key.Account)
	}
	if o.Reply.Problem != nil {
		enc.AddString("problem", o.Reply.Problem.Kind.Slug)
	} else if o.Reply.Cache != "" {
		enc.AddString("x_cache", o.Reply.Cache)
	}
	enc.AddInt("credits", o.Reply.Cost)
	enc.AddDuration("gateway_duration", o.Duration)
	return nil
}
