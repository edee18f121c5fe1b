package accesslog

import (
	"context"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap/zapcore"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/service/telemetry"
)

const (
	// callVar is the Caddy variable with the call of a request: log_append rodata {http.vars.rodata}.
	callVar = "rodata"
	// traceVar is the variable that Caddy's directive tracing sets.
	traceVar = "trace_id"
)

// Record makes a call available to the log, by the Caddy variables of its request. If a request makes several calls,
// the log has the last one. Record is a [telemetry.Record].
func Record(ctx context.Context, o *op.Observation) (traced bool) {
	vars, ok := ctx.Value(caddyhttp.VarsCtxKey).(map[string]any)
	if !ok {
		return false
	}

	attach(vars, o)
	_, traced = vars[traceVar]
	return traced
}

func attach(vars map[string]any, o *op.Observation) { vars[callVar] = (*loggedCall)(o) }

// callOf returns the call that a request made, or nil if it made none.
func callOf(vars map[string]any) *op.Observation {
	call, _ := vars[callVar].(*loggedCall)
	return (*op.Observation)(call)
}

// loggedCall is a call as Caddy's own log shows it: the caller, the operation and its cost, but no secrets.
type loggedCall op.Observation

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (c *loggedCall) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	o := (*op.Observation)(c)
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
	if telemetry.QueriedRegistry(o) {
		enc.AddDuration("upstream_duration", o.Reply.Duration)
	}

	enc.AddDuration("gateway_duration", o.Reply.Duration)
	return nil
}
