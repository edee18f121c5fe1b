package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// sameJSON reports whether two documents differ only in space and escapes.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	return canonical(t, a) == canonical(t, b)
}

func canonical(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}

	return string(mustEncode(value))
}

func TestErrorsOfTools(t *testing.T) {
	company := func(c ro.CUI) string { return fmt.Sprintf(`{"cui":"%d"}`, c) }
	for _, c := range []struct {
		name, tool, arguments, authorization string
		status, retry                        int
		says                                 string
	}{
		{name: "prefix sent", tool: "get_company", arguments: `{"cui":"RO123"}`, status: 400,
			says: `received \"RO123\"`},
		{name: "missing", tool: "get_company", arguments: `{}`, status: 400, says: "cui is missing"},
		{name: "unknown argument", tool: "get_company", arguments: `{"cui":"19","x":1}`, status: 400,
			says: `unknown parameter \"x\"`},
		{name: "arguments that are a list", tool: "get_company", arguments: `[1]`, status: 400, says: "JSON object"},
		{name: "an argument that is an object", tool: "get_company", arguments: `{"cui":{"a":1}}`, status: 400,
			says: "object or array"},
		{name: "not in the plan", tool: "get_company", arguments: company(example),
			authorization: "Bearer rodata_live_bare", status: 403, says: "companies.read"},
		{name: "credits used up", tool: "get_company", arguments: company(example), authorization: spentKey,
			status: 402, says: "get_usage"},
		{name: "usage of nobody", tool: "get_usage", arguments: `{}`, status: 401,
			says: "send \\\"Authorization: Bearer"},
		{name: "persons need a key", tool: "get_company",
			arguments: fmt.Sprintf(`{"cui":"%d","include":"legalRepresentatives"}`, example), status: 403,
			says: "needs a key"},
		{name: "unknown company", tool: "get_company", arguments: company(unknown), status: 404,
			says: "search_companies"},
		{name: "dropped code", tool: "get_caen_code", arguments: `{"code":"6201"}`, status: 404, says: "6210"},
		{name: "registry error", tool: "get_company", arguments: company(broken), status: 502, says: "ANAF"},
		{name: "registry timeout", tool: "get_company", arguments: company(slow), status: 504, says: "in time"},
		{name: "breaker open", tool: "get_company", arguments: company(shut), status: 503, retry: 2, says: "ANAF"},
		{name: "our mistake", tool: "get_company", arguments: company(mistaken), status: 500, says: "logged"},
		{name: "panic", tool: "get_company", arguments: company(panicky), status: 500, says: "logged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.status == 402 { // the available credit
				w.send("POST", callOf(1, c.tool, c.arguments), "Authorization", c.authorization)
			}

			answer := w.send("POST", callOf(1, c.tool, c.arguments), "Authorization", c.authorization)
			r := read(t, answer).Result
			if answer.Code != 200 || !r.IsError || r.StructuredContent != nil || len(r.Content) != 1 {
				t.Fatalf("%d %s", answer.Code, answer.Body)
			}

			text := r.Content[0].Text
			if p := readProblem(t, []byte(text)); p.Status != c.status || !strings.Contains(text, c.says) {
				t.Errorf("%s", text)
			}
			if !sameJSON(t, r.Meta["ro.rodata/problem"], []byte(text)) ||
				string(r.Meta["ro.rodata/status"]) != fmt.Sprint(c.status) {
				t.Errorf("_meta %s", r.Meta)
			}
			if c.retry > 0 && (answer.Header().Get("Retry-After") != fmt.Sprint(c.retry) ||
				string(r.Meta["ro.rodata/retryAfterSeconds"]) != fmt.Sprint(c.retry)) {
				t.Errorf("retry after %s", answer.Header())
			}

			for _, internal := range []string{"panic", "secret", ".go", "192.0.2", "dial tcp", "&{", "rodata_live"} {
				if strings.Contains(answer.Body.String(), internal) {
					t.Errorf("the answer says %q", internal)
				}
			}

			if c.name == "dropped code" && !strings.Contains(text, `"successors":[{"code":"6210"`) {
				t.Errorf("no successors: %s", text)
			}
		})
	}
}

func TestUnknownToolAndMethod(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, method, params string
		code, modern         int
	}{
		{"a tool that does not exist", "tools/call", `"name":"delete_company","arguments":{},`, -32602, 400},
		{"an operation that is no tool", "tools/call", `"name":"list_plans",`, -32602, 400},
		{"a method that does not exist", "tools/delete", ``, -32601, 404},
		{"a capability that is not there", "resources/subscribe", ``, -32601, 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			params := "{" + strings.TrimSuffix(c.params, ",") + "}"
			if answer := w.send("POST", rpc(1, c.method, params)); answer.Code != 200 || read(t, answer).Error == nil ||
				read(t, answer).Error.Code != c.code {
				t.Errorf("legacy: %d %s", answer.Code, answer.Body)
			}

			name := ""
			if c.method == "tools/call" {
				name, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(c.params, `"name":"`), `"Name":"`), `"`)
			}
			if answer := w.sendModern(c.method, name, c.params); answer.Code != c.modern && answer.Code != 400 {
				t.Errorf("modern: %d %s", answer.Code, answer.Body)
			}
		})
	}
}

func TestFactsAreInMetaAndHeader(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ name, authorization, cache string }{
		{"first, anonymous", "", "MISS"}, {"second, anonymous", "", "HIT"}, {"with a key", goodKey, "HIT"},
		{"with a key without a limit", "Bearer rodata_live_enterprise", "HIT"},
	} {
		answer := w.send("POST", companyCall(1, example), "Authorization", c.authorization)
		header, meta := answer.Header(), read(t, answer).Result.Meta
		var limits struct{ Limit, Remaining json.Number }
		testkit.NoError(t, json.Unmarshal(meta["ro.rodata/rateLimit"], &limits))

		for _, fact := range []struct{ name, header, meta string }{
			{"x-cache", c.cache, strings.Trim(string(meta["ro.rodata/cache"]), `"`)},
			{"x-credits-cost", raw(header, "x-credits-cost"), string(meta["ro.rodata/creditsCost"])},
			{"x-credits-remaining", raw(header, "x-credits-remaining"), string(meta["ro.rodata/creditsRemaining"])},
			{"RateLimit-Limit", raw(header, "RateLimit-Limit"), limits.Limit.String()},
			{"RateLimit-Remaining", raw(header, "RateLimit-Remaining"), limits.Remaining.String()},
		} {
			if got := raw(header, fact.name); got != fact.header || fact.header != fact.meta {
				t.Errorf("%s: %s is %q, _meta says %q", c.name, fact.name, got, fact.meta)
			}
		}

		if string(meta["ro.rodata/status"]) != "200" || meta["ro.rodata/problem"] != nil ||
			(meta["ro.rodata/creditsRemaining"] != nil) != (c.authorization == goodKey) {
			t.Errorf("%s: _meta %s", c.name, meta)
		}
		if header.Get("Cache-Control") != "no-store" || header.Get("ETag") != "" || header.Get("Age") != "" {
			t.Errorf("%s: a tool result may be cached by %v", c.name, header)
		}
	}
}

func TestToolCallsShareTheBucketOfREST(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Gateway.Anonymous = metering.PerSecond(1, 6) })
	operation := w.tools["get_company"].Operation
	address := remoteAddress(&http.Request{RemoteAddr: "192.0.2.1:1234"}) // httptest's
	for i := range 6 {
		if i%2 == 0 {
			if r := read(t, w.send("POST", companyCall(1, example))); r.Result.IsError {
				t.Fatalf("call %d: %+v", i, r.Result)
			}
		} else if args, _ := op.ArgsFromJSON(fmt.Appendf(nil, `{"cui":%d}`, example)); w.Gateway.Do(t.Context(), operation,
			&op.Call{Args: args, Address: address}).Status != 200 {
			t.Fatalf("call %d was refused", i)
		}
	}

	answer := w.send("POST", companyCall(1, example))
	r := read(t, answer).Result
	if answer.Code != 200 || !r.IsError || readProblem(t, []byte(r.Content[0].Text)).Status != 429 {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	if string(r.Meta["ro.rodata/retryAfterSeconds"]) != "1" || answer.Header().Get("Retry-After") != "1" ||
		raw(answer.Header(), "RateLimit-Remaining") != "0" {
		t.Errorf("%v %s", answer.Header(), r.Meta)
	}
	if answer := w.send("POST", list); answer.Code != 200 {
		t.Errorf("tools/list does not have a separate bucket: %d", answer.Code)
	}
}

func TestArgumentsAreRead(t *testing.T) {
	w := newWorld(t)
	answer := func(tool, arguments string) string {
		return read(t, w.send("POST", callOf(1, tool, arguments))).Result.Content[0].Text
	}
	for _, c := range []struct{ name, tool, one, other string }{
		{"a number for digits", "get_company", fmt.Sprintf(`{"cui":"%d"}`, unknown),
			fmt.Sprintf(`{"cui":%d}`, unknown)},
		{"a limit", "search_caen_codes", `{"limit":"10"}`, `{"limit":10}`},
		{"a limit with a fraction", "search_caen_codes", `{"limit":"10"}`, `{"limit":10.0}`},
		{"an amount", "convert_currency", `{"amount":"0.1","from":"EUR","to":"RON"}`,
			`{"amount":0.1,"from":"EUR","to":"RON"}`},
		{"an amount beyond 2^53", "convert_currency", `{"amount":"9007199254740993","from":"EUR","to":"EUR"}`,
			`{"amount":9007199254740993,"from":"EUR","to":"EUR"}`},
		{"an amount in other notation", "convert_currency", `{"amount":"100","from":"EUR","to":"RON"}`,
			`{"amount":1e2,"from":"EUR","to":"RON"}`},
		{"a null", "get_fx_rates", `{}`, `{"date":null}`},
		{"none", "get_fx_rates", `{}`, `null`},
	} {
		if one, other := answer(c.tool, c.one), answer(c.tool, c.other); one != other {
			t.Errorf("%s: %s gives %s, %s gives %s", c.name, c.one, one, c.other, other)
		}
	}

	if text := answer("convert_currency",
		`{"amount":9007199254740993,"from":"EUR","to":"EUR"}`); !strings.Contains(text, "9007199254740993") {
		t.Errorf("an amount was rounded: %s", text)
	}
	if r := read(t, w.send("POST", rpc(1, "tools/call", `{"name":"get_fx_rates"}`))); r.Result.IsError {
		t.Errorf("without arguments: %+v", r.Result)
	}
}

// Hosts show a model at least 100,000 characters of a result.
func TestResultsFitIntoAModelsContext(t *testing.T) {
	w := newWorld(t)
	for tool, arguments := range map[string]string{
		"search_caen_codes":   `{"limit":"100"}`,
		"add_business_days":   `{"from":"2026-12-31","days":"-1000"}`,
		"search_companies":    `{"limit":"100","q":"wordy"}`,
		"get_fx_rate_history": `{"currency":"EUR","from":"2025-06-10","to":"2026-06-11"}`,
	} {
		r := read(t, w.send("POST", callOf(1, tool, arguments)))
		if r.Result.IsError {
			t.Fatalf("%s: %s", tool, r.Result.Content[0].Text)
		}
		if n := len([]rune(r.Result.Content[0].Text)); n > 100_000 || n < 3_000 {
			t.Errorf("%s gives %d characters", tool, n)
		}
	}
}
