package caddymodule

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap/zapcore"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// tally is an operation's counters, looked up in advance.
type tally struct {
	operation *api.Operation
	seconds   prometheus.Observer
	rest, mcp prometheus.Counter // answers with the status of a success
}

// observer counts a call and hands it to the access log. It runs for every
// request, so what can be looked up in advance is.
func (m *meters) observer(ops []*api.Operation) func(context.Context, *api.Observation) {
	tallies := make([]tally, len(ops))
	for i, op := range ops {
		success := strconv.Itoa(op.Success)
		tallies[i] = tally{
			operation: op,
			seconds:   m.seconds.WithLabelValues(op.Name),
			rest:      m.requests.WithLabelValues(op.Name, success, "rest"),
			mcp:       m.requests.WithLabelValues(op.Name, success, "mcp"),
		}
		if asks(op) {
			m.stale.add(op.Name)
		}
	}
	keys, addresses := newDoor(m.ratelimit, "key"), newDoor(m.ratelimit, "address")
	return func(ctx context.Context, o *api.Observation) {
		t := find(tallies, o.Operation)
		switch {
		case o.Reply.Status != o.Operation.Success:
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
		if o.Caller.Account() != "" { // by a key or a session, which have one bucket
			keys.count(o)
		} else {
			addresses.count(o)
		}
		attach(ctx, o)
	}
}

// find is the tally of an operation, which is among them. They are so few that a
// map would be slower.
func find(tallies []tally, op *api.Operation) *tally {
	for i := range tallies {
		if tallies[i].operation == op {
			return &tallies[i]
		}
	}
	panic("the operation " + op.Name + " is not in the table")
}

// attach puts a call where the access log of its request finds it, and into the
// request's trace.
func attach(ctx context.Context, o *api.Observation) {
	vars, ok := ctx.Value(caddyhttp.VarsCtxKey).(map[string]any)
	if !ok {
		return
	}
	vars[accessVar] = (*accessEntry)(o)
	if _, traced := vars[traceVar]; traced && asks(o.Operation) {
		traceLookup(ctx, o)
	}
}

// asks reports whether an operation may have to ask a registry.
func asks(op *api.Operation) bool { return slices.Contains(op.Errors, problem.UpstreamError) }

// door counts what one kind of bucket let through.
type door struct{ allowed, limited prometheus.Counter }

func newDoor(v *prometheus.CounterVec, scope string) door {
	return door{v.WithLabelValues(scope, "allowed"), v.WithLabelValues(scope, "limited")}
}

func (d *door) count(o *api.Observation) {
	switch {
	case o.Reply.Allowance.OK:
		d.allowed.Inc()
	case o.Reply.Allowance.Rate.PerSecond > 0: // else the call did not get as far
		d.limited.Inc()
	}
}

// accessVar is the variable in which the access log finds the entry of a call:
// log_append rodata {http.vars.rodata}.
const accessVar = "rodata"

// accessEntry is a call in the access log: whose, which, and what it cost, and no
// secret.
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
	enc.AddInt("status", o.Reply.Status) // in MCP not that of the response
	if o.Reply.Problem != nil {
		enc.AddString("problem", o.Reply.Problem.Kind.Slug)
	} else if o.Reply.Cache != "" {
		enc.AddString("x_cache", o.Reply.Cache)
	}
	if o.StaleBy > 0 {
		enc.AddDuration("stale_by", o.StaleBy)
	}
	enc.AddInt("credits", o.Reply.Cost)
	if asked(o) {
		enc.AddDuration("upstream_duration", o.Reply.Duration)
	}
	enc.AddDuration("gateway_duration", o.Reply.Duration)
	return nil
}

// asked reports whether a call waited for a registry, or tried to: what the
// gateway does by itself then counts for nothing beside it.
func asked(o *api.Observation) bool {
	if !asks(o.Operation) {
		return false
	}
	if o.Reply.Problem == nil {
		return o.Reply.Cache == api.Miss || o.StaleBy > 0
	}
	kind := o.Reply.Problem.Kind
	return kind == problem.NotFound || kind == problem.UpstreamError || kind == problem.UpstreamTimeout || kind == problem.Unavailable
}
