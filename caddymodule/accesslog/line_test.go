package accesslog

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// observed returns the variables of a request that was answered with a call.
func observed(o *op.Observation) map[string]any {
	vars := map[string]any{caddyhttp.ClientIPVarKey: "203.0.113.7"}
	if o != nil {
		attach(vars, o)
	}
	return vars
}

// hit returns the request for a stored company, and the variables of its answer.
func hit() (r *http.Request, vars map[string]any) {
	r = httptest.NewRequest("GET", "/v1/companies/9900000010", nil)
	r.Pattern = "/v1/companies/{cui}"
	return r, observed(&op.Observation{
		Operation: &op.Operation{Spec: op.Spec{Name: "get_company"}}, Channel: "rest",
		Reply: op.Reply{Status: 200, Freshness: op.Freshness{Cache: op.Hit}},
	})
}

// A line has exactly the fields that are documented.
func TestLine(t *testing.T) {
	registry := &op.Operation{Spec: op.Spec{Name: "get_company", Errors: []*problem.Kind{problem.UpstreamError}}}
	start := time.UnixMicro(1763903411_000123)
	end := start.Add(1_002_003 * time.Microsecond)
	plain := map[string]any{
		"ts": 1763903411.000123, "logger": "rodata.access", "method": "GET", "route": "/v1/companies/{cui}",
		"status": 200.0, "bytes": 1597.0, "duration": 1.002003, "address": "203.0.113.7",
	}
	for name, c := range map[string]struct {
		request func(*http.Request)
		call    *op.Observation
		want    map[string]any // besides the plain ones
	}{
		"no operation": {nil, nil, nil},
		"method of ServeMux": {
			func(r *http.Request) { r.Pattern = "GET /about/contact" }, nil, map[string]any{"route": "/about/contact"},
		},
		"no route": {func(r *http.Request) { r.Pattern = "" }, nil, map[string]any{"route": nil}},
		"client's method": {func(r *http.Request) { r.Method = "rodata_live_0123" }, nil,
			map[string]any{"method": "OTHER"}},
		"request id": {
			func(r *http.Request) { r.Header.Set("X-Request-Id", "a-1") }, nil, map[string]any{"request_id": "a-1"},
		},
		"refused request id": {func(r *http.Request) { r.Header.Set("X-Request-Id", `"a`) }, nil, nil},
		"strange route": {
			func(r *http.Request) { r.Pattern = "/\"ș\n" }, nil, map[string]any{"route": "/\"ș\n"},
		},
		"hit": {
			nil,
			&op.Observation{
				Operation: registry, Channel: "rest",
				Reply: op.Reply{
					Status: 200, Duration: 42 * time.Microsecond,
					Freshness: op.Freshness{Cache: op.Hit, RetrievedAt: end.Add(-90 * time.Second)},
				},
			},
			map[string]any{
				"operation": "get_company", "channel": "rest", "cache": "HIT", "age": 90.0, "credits": 0.0,
				"gateway_duration": 0.000042,
			},
		},
		"stale hit of a key": {
			nil,
			&op.Observation{
				Operation: registry, Channel: "rest", StaleBy: time.Hour,
				Caller: account.Caller{Key: &account.Key{ID: "k1", Account: "a1"}},
				Reply: op.Reply{
					Status: 200, Cost: 1, Duration: time.Second,
					Freshness: op.Freshness{Cache: op.Hit, RetrievedAt: end.Add(-2 * time.Hour)},
				},
			},
			map[string]any{
				"operation": "get_company", "channel": "rest", "cache": "HIT", "age": 7200.0, "stale_by": 3600.0,
				"credits": 1.0, "key_id": "k1", "account_id": "a1", "upstream_duration": 1.0, "gateway_duration": 1.0,
			},
		},
		"tool that found nothing": {
			nil,
			&op.Observation{
				Operation: registry, Channel: "mcp",
				Reply: op.Reply{Status: 404, Duration: time.Second, Problem: problem.NotFound.New("x")},
			},
			map[string]any{
				"operation": "get_company", "channel": "mcp", "operation_status": 404.0, "problem": "not-found",
				"credits":           0.0,
				"upstream_duration": 1.0, "gateway_duration": 1.0,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/v1/companies/9900000010?q=secret", nil)
			r.Pattern = "/v1/companies/{cui}"
			if c.request != nil {
				c.request(r)
			}

			e := &entry{method: r.Method, start: start, status: 200, bytes: 1597}

			line := appendLine(nil, e, r, observed(c.call), end)
			var got map[string]any
			if err := json.Unmarshal(line, &got); err != nil || line[len(line)-1] != '\n' {
				t.Fatalf("%v: %s", err, line)
			}

			want := map[string]any{}
			for _, fields := range []map[string]any{plain, c.want} {
				for field, value := range fields {
					want[field] = value
				}
			}

			for field, value := range want {
				if got[field] != value {
					t.Errorf("%s is %v, want %v", field, got[field], value)
				}
				delete(got, field)
			}

			if len(got) > 0 {
				t.Errorf("further fields: %v", got)
			}
		})
	}
}

// The line of a client without an address, as on a Unix socket, has no address. The line of an IPv6 client has no
// zone, because the client chooses the text of the zone.
func TestLoggedClientAddress(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "@": "", "2001:db8::1": `,"address":"2001:db8::1"`, `fe80::1%"x`: `,"address":"fe80::1"`,
	} {
		if got := appendAddress(nil, map[string]any{caddyhttp.ClientIPVarKey: text}); string(got) != want {
			t.Errorf("%q is logged as %s, want %s", text, got, want)
		}
	}
}

// Encoding a line does not allocate memory.
func TestLineAllocatesNothing(t *testing.T) {
	r, vars := hit()
	e := &entry{method: r.Method, start: time.Now(), status: 200}
	buffer := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { appendLine(buffer, e, r, vars, time.Now()) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// discard is a writer that can be closed.
type discard struct{ io.Writer }

func (discard) Close() error { return nil }

func BenchmarkLine(b *testing.B) {
	r, vars := hit()
	e := &entry{method: r.Method, start: time.Now(), status: 200}
	l := NewLog(discard{io.Discard})
	defer l.Close()
	h := Handler{log: l}
	b.ReportAllocs()
	for b.Loop() {
		h.write(e, r, vars)
	}
}
