package blackbox

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/testkit"
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
)

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
	testkit.NoError(t, g.load())

	expect("after a reload", "POST", 200)
	testkit.NoError(t, caddy.Stop())
	testkit.NoError(t, g.load())

	expect("after a restart", "POST", 200)
	expect("at its end", "DELETE", 200)
	expect("after its end", "POST", 404)
}

// A key in the address does not authenticate, nor does a key once it is revoked.
func TestKeysOfTheEndpoint(t *testing.T) {
	var admin gateway
	g := start(t, withAdmin(t, &admin))
	_, key := operator{t, &admin}.opens("pro")
	for _, query := range []string{"key=", "api_key=", "token=", "access_token="} {
		got := g.do(t, "POST", "/mcp?"+query+key, toolCallOf("", "get_usage", "{}"))
		if o := got.outcome(t); o.Meta.Status != 401 || strings.Contains(string(got.body), key) {
			t.Errorf("%s in the address: %s", query, got.body)
		}
	}

	var keys []struct{ ID string }
	if err := json.Unmarshal(g.do(t, "GET", "/v1/keys", bearer(key, "")).body, &keys); err != nil || len(keys) != 1 {
		t.Fatalf("the keys are %+v %v", keys, err)
	}
	if o := g.do(t, "POST", "/mcp", toolCallOf(key, "get_usage", "{}")).outcome(t); o.Meta.Status != 200 {
		t.Errorf("with a key: %+v", o)
	}

	g.do(t, "DELETE", "/v1/keys/"+keys[0].ID, bearer(key, ""))
	g.do(t, "POST", "/mcp", toolCallOf(key, "get_usage", "{}")).problem(t, 401, "unauthorized")
}
