package blackbox

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// message returns a request to the MCP endpoint, with a key unless that is empty.
func message(key, body string) request {
	r := bearer(key, body)
	if key == "" {
		delete(r.header, "Authorization")
	}

	r.header["Accept"] = "application/json, text/event-stream"
	return r
}

// toolCallOf is a tool call in the revisions with sessions.
func toolCallOf(key, tool, arguments string) request {
	return message(key, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+
		arguments+`}}`)
}

// outcome is the result of a tool call.
type outcome struct {
	Meta struct {
		Status           int    `json:"ro.rodata/status"`
		Cache            string `json:"ro.rodata/cache"`
		CreditsRemaining *int   `json:"ro.rodata/creditsRemaining"`
	} `json:"_meta"`
	IsError           bool
	StructuredContent object
}

func (a answer) outcome(t *testing.T) outcome {
	t.Helper()
	var envelope struct{ Result *outcome }
	if err := json.Unmarshal(a.body, &envelope); err != nil || a.StatusCode != 200 || envelope.Result == nil {
		t.Fatalf("no result of a tool: %d %s", a.StatusCode, a.body)
	}

	return *envelope.Result
}

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"test","version":"1"},"capabilities":{}}}`
	listTools  = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	discover   = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// discovery is a server/discover of 2026-07-28.
func discovery() request {
	r := message("", discover)
	r.header["MCP-Protocol-Version"], r.header["Mcp-Method"] = "2026-07-28", "server/discover"
	return r
}

// The endpoint's answer to each method, including Caddy's own handling of some.
func methodsOfTheEndpoint(t *testing.T, g *gateway) {
	inModern := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Accept": "text/event-stream"}
	preflight := func(origin string) map[string]string {
		return map[string]string{
			"Origin": origin, "Access-Control-Request-Method": "POST",
			"Access-Control-Request-Headers": "authorization,mcp-protocol-version",
		}
	}
	const methods = "DELETE, OPTIONS, POST"
	for name, c := range map[string]struct {
		method string
		header map[string]string
		status int
		allow  string
	}{
		"HEAD":                       {"HEAD", nil, 405, methods},
		"PUT":                        {"PUT", nil, 405, methods},
		"another method":             {"FOO", nil, 405, methods},
		"GET by a browser":           {"GET", map[string]string{"Accept": "text/html"}, 405, methods},
		"GET of a stream":            {"GET", map[string]string{"Accept": "text/event-stream"}, 405, methods},
		"GET of the modern era":      {"GET", inModern, 405, "POST"},
		"DELETE of the modern era":   {"DELETE", inModern, 405, "POST"},
		"DELETE of no session":       {"DELETE", nil, 200, ""},
		"OPTIONS by no page":         {"OPTIONS", nil, 204, ""},
		"OPTIONS by a page of ours":  {"OPTIONS", preflight(g.url), 204, ""},
		"OPTIONS by a foreign page":  {"OPTIONS", preflight("https://evil.example"), 403, ""},
		"a message by a foreign one": {"POST", preflight("https://evil.example"), 403, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := g.do(t, c.method, "/mcp", request{header: c.header})
			if got.StatusCode != c.status || c.allow != "" && got.Header.Get("Allow") != c.allow {
				t.Errorf("got %d %v %s", got.StatusCode, got.Header, got.body)
			}

			if c.status == 204 && c.header != nil {
				for _, name := range []string{"Authorization", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"} {
					if allowed := got.Header.Get("Access-Control-Allow-Headers"); !strings.Contains(allowed, name) {
						t.Errorf("%s is not among the headers allowed: %s", name, allowed)
					}
				}
			}
		})
	}
}

// A client can continue its session after the server that created it is gone, until the client ends the session.
func TestSessionsOutliveTheServer(t *testing.T) {
	g := start(t)
	session := g.do(t, "POST", "/mcp", message("", initialize)).Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatal("there is no session")
	}

	in := message("", listTools)
	in.header["Mcp-Session-Id"] = session
	expect := func(when, method string, status int) {
		t.Helper()
		if got := g.do(t, method, "/mcp", in); got.StatusCode != status {
			t.Errorf("%s: %s got %d %s", when, method, got.StatusCode, got.body)
		}
	}
	expect("at first", "POST", 200)
	g.app()["environment"] = "sandbox"
	if err := g.load(); err != nil {
		t.Fatal(err)
	}

	expect("after a reload", "POST", 200)
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := g.load(); err != nil {
		t.Fatal(err)
	}

	expect("after a restart", "POST", 200)
	expect("at its end", "DELETE", 200)
	expect("after its end", "POST", 404)
}

// Only a valid key authenticates: a revoked one, another scheme, or a key in the URL is rejected.
func TestKeysOfTheEndpoint(t *testing.T) {
	var admin gateway
	g := start(t, withAdmin(t, &admin))
	_, key := operator{t, &admin}.opens("pro")
	var keys []struct{ ID string }
	if err := json.Unmarshal(g.do(t, "GET", "/v1/keys", bearer(key, "")).body, &keys); err != nil || len(keys) != 1 {
		t.Fatalf("the keys are %+v %v", keys, err)
	}

	everything := func(authorization string) map[string]answer {
		send := func(method string, r request) answer {
			r.header["Authorization"] = authorization
			return g.do(t, method, "/mcp", r)
		}
		return map[string]answer{
			"initialize":      send("POST", message("", initialize)),
			"tools/list":      send("POST", message("", listTools)),
			"tools/call":      send("POST", toolCallOf("", "get_fx_rates", "{}")),
			"server/discover": send("POST", discovery()),
			"DELETE":          send("DELETE", message("", "")),
		}
	}
	for what, got := range everything("Bearer " + key) {
		if got.StatusCode != 200 {
			t.Errorf("%s with a key: got %d %s", what, got.StatusCode, got.body)
		}
	}

	usage := toolCallOf("", "get_usage", "{}")
	for _, query := range []string{"key=", "api_key=", "token=", "access_token="} {
		got := g.do(t, "POST", "/mcp?"+query+key, usage)
		if o := got.outcome(t); o.Meta.Status != 401 || strings.Contains(string(got.body), key) {
			t.Errorf("%s in the address: %s", query, got.body)
		}
	}

	if got := g.do(t, "DELETE", "/v1/keys/"+keys[0].ID, bearer(key, "")); got.StatusCode != 204 {
		t.Fatalf("revoking: got %d %s", got.StatusCode, got.body)
	}

	for _, refused := range []string{"Bearer " + key, "Bearer rodata_live_wrong", "Bearer", "Basic QTpC", key} {
		for what, got := range everything(refused) {
			got.problem(t, 401, "unauthorized")
			if challenge := got.Header.Get("WWW-Authenticate"); !strings.HasPrefix(challenge,
				`Bearer error="invalid_token"`) ||
				strings.Contains(challenge, "resource_metadata") {
				t.Errorf("%s with %q: WWW-Authenticate is %q", what, refused, challenge)
			}
		}
	}
}

// Each tool call is one line of the access log, with its caller and cost, and is counted; so are rejected keys.
func TestToolCallsAreObserved(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.json")
	var admin gateway
	g := start(t, withAdmin(t, &admin), logTo(log))
	account, key := operator{t, &admin}.opens("pro")
	known := `{"cui":"` + company(t) + `"}`
	for _, call := range []request{
		toolCallOf(key, "get_company", known), toolCallOf(key, "get_company", known),
		toolCallOf(key, "get_company", `{"cui":"19"}`),
		toolCallOf("", "search_counties", `{}`), toolCallOf("rodata_live_wrong", "get_company", known),
	} {
		g.do(t, "POST", "/mcp", call)
	}

	for series, want := range map[string]float64{
		`rodata_requests_total{channel="mcp",operation="get_company",status="200"}`:     2,
		`rodata_requests_total{channel="mcp",operation="get_company",status="404"}`:     1,
		`rodata_requests_total{channel="mcp",operation="search_counties",status="200"}`: 1,
		`rodata_keys_refused_total{reason="checksum"}`:                                  1,
	} {
		if got := g.metric(t, series); got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}

	lines := g.accessLog(t, log)
	if len(lines) != 5 {
		t.Fatalf("5 calls are %d lines: %v", len(lines), lines)
	}

	for i, want := range []object{
		{"operation": "get_company", "operation_status": 200.0, "credits": 1.0, "cache": "MISS", "account_id": account},
		{"operation": "get_company", "operation_status": 200.0, "credits": 1.0, "cache": "HIT", "account_id": account},
		{"operation": "get_company", "operation_status": 404.0, "credits": 0.0, "problem": "not-found",
			"account_id": account},
		{"operation": "search_counties", "operation_status": 200.0, "credits": 0.0, "account_id": nil, "key_id": nil},
	} {
		for name, value := range want {
			if lines[i][name] != value || lines[i]["channel"] != "mcp" ||
				(lines[i]["key_id"] == nil) != (lines[i]["account_id"] == nil) {
				t.Errorf("line %d has %s %v, want %v: %v", i, name, lines[i][name], value, lines[i])
			}
		}
	}
}
