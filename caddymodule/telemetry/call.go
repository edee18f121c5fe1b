package telemetry

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap/zapcore"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/op/problem"
)

// operationMeter is an operation's counters, resolved in advance.
type operationMeter struct {
	operation *api.Operation
	seconds   prometheus.Observer
	rest, mcp prometheus.Counter // successes
}

// Observer returns a function that counts a call and makes it available to the access log. It runs for every call, so
// label values are resolved in advance.
func (m *Meters) Observer(ops []*api.Operation) func(context.Context, *api.Observation) {
	meters := make([]operationMeter, len(ops))
	for i, op := range ops {
		success := strconv.Itoa(op.Success)
		meters[i] = operationMeter{
			operation: op,
			seconds:   m.seconds.WithLabelValues(op.Name),
			rest:      m.requests.WithLabelValues(op.Name, success, "rest"),
			mcp:       m.requests.WithLabelValues(op.Name, success, "mcp"),
		}
		if mayAskRegistry(op) {
			m.stale.add(op.Name)
		}
	}

	keys, addresses := newBucketMeter(m.ratelimit, "key"), newBucketMeter(m.ratelimit, "address")
	return func(ctx context.Context, o *api.Observation) {
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

		attach(ctx, o)
	}
}

// find returns the meter of an operation. There are so few operations that a map would be slower.
func find(meters []operationMeter, op *api.Operation) *operationMeter {
	for i := range meters {
		if meters[i].operation == op {
			return &meters[i]
		}
	}

	panic("the operation " + op.Name + " is not in the table")
}

// Attach makes a call available to the access log, by the Caddy variables of its request.
func Attach(vars map[string]any, o *api.Observation) { vars[accessVar] = (*accessEntry)(o) }

// CallOf returns the call that a request made, the last one if it made several, or nil if it made none.
func CallOf(vars map[string]any) *api.Observation {
	entry, _ := vars[accessVar].(*accessEntry)
	return (*api.Observation)(entry)
}

// attach attaches a call to its request, and adds it to the trace.
func attach(ctx context.Context, o *api.Observation) {
	vars, ok := ctx.Value(caddyhttp.VarsCtxKey).(map[string]any)
	if !ok {
		return
	}

	Attach(vars, o)
	if _, traced := vars[traceVar]; traced && mayAskRegistry(o.Operation) {
		traceLookup(ctx, o)
	}
}

// mayAskRegistry reports whether an operation may ask a registry.
func mayAskRegistry(op *api.Operation) bool { return slices.Contains(op.Errors, problem.UpstreamError) }

// bucketMeter counts the calls that one kind of bucket allowed or limited.
type bucketMeter struct{ allowed, limited prometheus.Counter }

func newBucketMeter(v *prometheus.CounterVec, scope string) bucketMeter {
	return bucketMeter{v.WithLabelValues(scope, "allowed"), v.WithLabelValues(scope, "limited")}
}

func (d *bucketMeter) count(o *api.Observation) {
	switch {
	case o.Reply.Allowance.OK:
		d.allowed.Inc()
	case o.Reply.Allowance.Rate.N > 0: // otherwise the call was rejected before the limit was checked
		d.limited.Inc()
	}
}

// accessVar is the Caddy variable with the call, for the access log: log_append rodata {http.vars.rodata}.
const accessVar = "rodata"

// accessEntry is a call in the access log, with the caller, the operation and its cost, but without secrets.
type accessEntry api.Observation

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (e *accessEntry) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	o := (*api.Observation)(e)
	enc.AddString("operation", o.Operation.Name)
	enc.AddString("channel", o.Channel)
	if o.RequestID != "" {
		enc.AddString("request_id", o.RequestID)
	}
	if o.Caller.Key != nil {
		enc.AddString("key_id", o.Caller.Key.ID)
	}
	if id := o.Caller.Account(); id != "" {
		enc.AddString("account_id", id)
	}

	enc.AddInt("status", o.Reply.Status) // in MCP not the status of the HTTP response
	if o.Reply.Problem != nil {
		enc.AddString("problem", o.Reply.Problem.Kind.Slug)
	} else if o.Reply.Cache != "" {
		enc.AddString("x_cache", o.Reply.Cache)
	}

	if o.StaleBy > 0 {
		enc.AddDuration("stale_by", o.StaleBy)
	}

	enc.AddInt("credits", o.Reply.Cost)
	if AskedRegistry(o) {
		enc.AddDuration("upstream_duration", o.Reply.Duration)
	}

	enc.AddDuration("gateway_duration", o.Reply.Duration)
	return nil
}

// AskedRegistry reports whether a call waited for a registry, or tried to. The time that the gateway itself takes is
// then negligible.
func AskedRegistry(o *api.Observation) bool {
	if !mayAskRegistry(o.Operation) {
		return false
	}
	if o.Reply.Problem == nil {
		return o.Reply.Cache == api.Miss || o.StaleBy > 0
	}

	kind := o.Reply.Problem.Kind
	return kind == problem.NotFound || kind == problem.UpstreamError || kind == problem.UpstreamTimeout ||
		kind == problem.Unavailable
}
