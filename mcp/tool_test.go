package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
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
	testkit.NoError(t, dec.Decode(&value), string(text))
	return string(mustEncode(value))
}

func TestToolCallsShareTheBucketOfREST(t *testing.T) {
	w := newWorld(t, sixCalls)
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
	testkit.Equal(t, w.send("POST", list).Code, 200, "a list, which has a separate bucket")
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

// The document is encoded as encoding/json does by default, and the client's id is kept, whatever it is.
func TestDocumentTakesThePlaceOfItsStandIn(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{string(mustEncode(standIn)), `"a\n&<>"`, `"\u003c"`, `"\\\""`, "12345678901234567890"} {
		answer := w.send("POST", strings.Replace(companyCall(7, example), `"id":7`, `"id":`+id, 1))
		result, body := read(t, answer).Result, answer.Body.String()
		text := testkit.Must(json.Marshal(result.Content[0].Text))
		structured := testkit.Must(json.Marshal(result.StructuredContent))
		for _, part := range []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{`, `"text":` + string(text),
			`"structuredContent":` + string(structured), `"EXEMPLU \u003cCLUJ\u003e \u0026 FIII ȘTIINȚĂ SRL"`} {
			testkit.Contains(t, body, part)
		}
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
