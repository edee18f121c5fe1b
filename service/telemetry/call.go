package telemetry

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// operationMeter is an operation's counters, resolved in advance.
type operationMeter struct {
	operation *op.Operation
	seconds   prometheus.Observer
	rest, mcp prometheus.Counter // successes
}

// Record makes a call available to the access log, and reports whether its request is part of a trace. Asking the web
// server is cheaper than looking for a span in the context.
type Record func(context.Context, *op.Observation) (traced bool)

// Observer returns a function that counts a call, records it, and adds it to the trace. It runs for every call, so
// label values are resolved in advance.
func (m *Meters) Observer(ops []*op.Operation, record Record) func(context.Context, *op.Observation) {
	meters := make([]operationMeter, len(ops))
	for i, operation := range ops {
		success := strconv.Itoa(operation.Success)
		meters[i] = operationMeter{
			operation: operation,
			seconds:   m.seconds.WithLabelValues(operation.Name),
			rest:      m.requests.WithLabelValues(operation.Name, success, "rest"),
			mcp:       m.requests.WithLabelValues(operation.Name, success, "mcp"),
		}
		if mayQueryRegistry(operation) {
			m.stale.add(operation.Name)
		}
	}

	keys, addresses := newBucketMeter(m.ratelimit, "key"), newBucketMeter(m.ratelimit, "address")
	return func(ctx context.Context, o *op.Observation) {
		t := find(meters, o.Operation)
		switch {
		case o.Reply.Status != o.Operation.Success, o.Channel != "mcp" && o.Channel != "rest":
			m.requests.WithLabelValues(o.Operation.Name, strconv.Itoa(o.Reply.Status), o.Channel).Inc()
		case o.Channel == "mcp":
			t.mcp.Inc()
		default:
			t.rest.Inc()
		}

		t.seconds.Observe(o.Reply.Duration.Seconds())
		if o.StaleBy > 0 {
			m.stale.note(o.Operation.Name, time.Now(), o.StaleBy)
		}

		if o.Caller.Account() != "" { // keys and sessions of an account share a bucket
			keys.count(o)
		} else {
			addresses.count(o)
		}

		if record(ctx, o) && mayQueryRegistry(o.Operation) {
			traceLookup(ctx, o)
		}
	}
}

// find returns the meter of an operation. There are so few operations that a map would be slower.
func find(meters []operationMeter, operation *op.Operation) *operationMeter {
	for i := range meters {
		if meters[i].operation == operation {
			return &meters[i]
		}
	}

	panic("the operation " + operation.Name + " is not in the table")
}

// mayQueryRegistry reports whether an operation may query a registry.
func mayQueryRegistry(operation *op.Operation) bool {
	return slices.Contains(operation.Errors, problem.UpstreamError)
}

// bucketMeter counts the calls that one kind of bucket allowed or limited.
type bucketMeter struct{ allowed, limited prometheus.Counter }

func newBucketMeter(v *prometheus.CounterVec, scope string) bucketMeter {
	return bucketMeter{v.WithLabelValues(scope, "allowed"), v.WithLabelValues(scope, "limited")}
}

func (d *bucketMeter) count(o *op.Observation) {
	switch {
	case o.Reply.Allowance.OK:
		d.allowed.Inc()
	case o.Reply.Allowance.Rate.N > 0: // otherwise the call was rejected before the limit was checked
		d.limited.Inc()
	}
}

// QueriedRegistry reports whether a call waited for a registry, or tried to. The time that the gateway itself takes is
// then negligible.
func QueriedRegistry(o *op.Observation) bool {
	if !mayQueryRegistry(o.Operation) {
		return false
	}
	if o.Reply.Problem == nil {
		return o.Reply.Cache == op.Miss || o.StaleBy > 0
	}

	kind := o.Reply.Problem.Kind
	return kind == problem.NotFound || kind == problem.UpstreamError || kind == problem.UpstreamTimeout ||
		kind == problem.Unavailable
}
