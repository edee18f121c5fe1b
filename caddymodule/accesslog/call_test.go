package accesslog

import (
	"context"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap/zapcore"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
)

// The access log has exactly these fields about a call.
func TestLoggedCall(t *testing.T) {
	registry := &op.Operation{Spec: op.Spec{Name: "get_company", Errors: []*problem.Kind{problem.UpstreamError}}}
	builtIn := &op.Operation{Spec: op.Spec{Name: "list_plans"}}
	const second = time.Second
	for name, c := range map[string]struct {
		o    op.Observation
		want map[string]any
	}{
		"fresh hit": {
			op.Observation{
				Operation: registry, Channel: "rest",
				Reply: op.Reply{Status: 200, Freshness: op.Freshness{Cache: op.Hit}},
			},
			map[string]any{"operation": "get_company", "channel": "rest", "status": 200, "x_cache": "HIT"},
		},
		"miss with a key": {
			op.Observation{
				Operation: registry, Channel: "mcp", RequestID: "a-1",
				Caller: account.Caller{Key: &account.Key{ID: "k1", Account: "a1"}},
				Reply:  op.Reply{Status: 200, Cost: 1, Duration: second, Freshness: op.Freshness{Cache: op.Miss}},
			},
			map[string]any{
				"operation": "get_company", "channel": "mcp", "request_id": "a-1", "key_id": "k1", "account_id": "a1",
				"status": 200, "x_cache": "MISS", "credits": 1, "upstream_duration": second,
			},
		},
		"stale hit": {
			op.Observation{
				Operation: registry, Channel: "rest", StaleBy: time.Hour,
				Reply: op.Reply{Status: 200, Freshness: op.Freshness{Cache: op.Hit}},
			},
			map[string]any{
				"operation": "get_company", "channel": "rest", "status": 200, "x_cache": "HIT", "stale_by": time.Hour,
				"upstream_duration": time.Duration(0),
			},
		},
		"registry failed": {
			op.Observation{
				Operation: registry, Channel: "rest",
				Reply: op.Reply{Status: 502, Duration: second, Problem: problem.UpstreamError.New("x")},
			},
			map[string]any{
				"operation": "get_company", "channel": "rest", "status": 502, "problem": "upstream-error",
				"upstream_duration": second,
			},
		},
		"bad input": {
			op.Observation{
				Operation: registry, Channel: "rest",
				Reply: op.Reply{Status: 400, Problem: problem.InvalidRequest.New("x")},
			},
			map[string]any{"operation": "get_company", "channel": "rest", "status": 400, "problem": "invalid-request"},
		},
		"no registry": {
			op.Observation{
				Operation: builtIn, Channel: "rest", Reply: op.Reply{Status: 404, Problem: problem.NotFound.New("x")},
			},
			map[string]any{"operation": "list_plans", "channel": "rest", "status": 404, "problem": "not-found"},
		},
	} {
		enc := zapcore.NewMapObjectEncoder()
		testkit.NoError(t, (*loggedCall)(&c.o).MarshalLogObject(enc))

		c.want["gateway_duration"] = c.o.Reply.Duration
		if _, ok := c.want["credits"]; !ok {
			c.want["credits"] = 0
		}

		for field, want := range c.want {
			if enc.Fields[field] != want {
				t.Errorf("%s: %s is %v, want %v", name, field, enc.Fields[field], want)
			}
		}

		if len(enc.Fields) != len(c.want) {
			t.Errorf("%s: got %v, want %v", name, enc.Fields, c.want)
		}
	}
}

// A call is available to the log of its own request, and only tracing by Caddy makes it part of a trace.
func TestRecord(t *testing.T) {
	o := &op.Observation{Operation: &op.Operation{Spec: op.Spec{Name: "list_plans"}}}
	if Record(t.Context(), o) {
		t.Error("a call without a request is traced")
	}

	for _, traced := range []bool{false, true} {
		vars := map[string]any{}
		if traced {
			vars["trace_id"] = "5b8aa5a2d2c872e8321cf37308d69df2"
		}

		ctx := context.WithValue(t.Context(), caddyhttp.VarsCtxKey, vars)
		if callOf(vars) != nil || Record(ctx, o) != traced || callOf(vars) != o {
			t.Errorf("traced %t: the variables are %v", traced, vars)
		}
	}
}
