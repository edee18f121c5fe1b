package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// theirVerdict returns the error that mcp-go answers a message with. Tests do not pass it params of the wrong shape
// for the method.
func theirVerdict(t *testing.T, w *world, r *http.Request, m *message) string {
	t.Helper()
	m = m.withoutArguments()
	if fault := m.checkParams(); fault != nil {
		return string(mustEncode(fault))
	}

	recorder := httptest.NewRecorder()
	w.transport.ServeHTTP(recorder, w.withMessage(r, m, nil))
	var answer struct{ Error json.RawMessage }
	testkit.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &answer))

	return string(answer.Error)
}

// This package validates invocations itself and leaves all other messages to mcp-go. Both report the same errors and
// accept the same valid messages.
func TestInvocationsAreValidatedAsInSDK(t *testing.T) {
	const version, can = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`,
		`"io.modelcontextprotocol/clientCapabilities":{}`
	call := func(rest string) string { return `{"name":"get_fx_rates","arguments":{}` + rest + `}` }
	modern := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "get_fx_rates"}
	with := func(changes ...string) []string { return append(modern[:len(modern):len(modern)], changes...) }
	for _, c := range []struct {
		name, version, params    string
		header                   []string
		obviouslyValid, accepted bool
	}{
		{"a plain call", "2.0", call(``), nil, true, true},
		{"a token for progress", "2.0", call(`,"_meta":{"progressToken":7,"example/id":"x"}`), nil, true, true},
		{"meta data of null", "2.0", call(`,"_meta":null`), nil, false, true},
		{"meta data that are a list", "2.0", call(`,"_meta":[]`), nil, false, false},
		{"a task", "2.0", call(`,"task":{"ttl":1}`), nil, false, true},
		{"another name beside", "2.0", call(`,"Name":"get_company"`), nil, false, true},
		{"another JSON-RPC", "1.0", call(``), nil, false, false},
		{"an older version in its meta data", "2.0",
			call(`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}`), nil, true, true},
		{"modern", "2.0", call(`,"_meta":{` + version + `,` + can + `}`), modern, true, true},
		{"modern with abilities", "2.0",
			call(`,"_meta":{` + version +
				`,"io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{}}}`), modern, true, true},
		{"modern with a wrapped name", "2.0", call(`,"_meta":{` + version + `,` + can + `}`),
			with("Mcp-Name", "=?base64?Z2V0X2Z4X3JhdGVz?="), false, true},
		{"modern with answers to no questions", "2.0",
			call(`,"inputResponses":{},"_meta":{` + version + `,` + can + `}`), modern, false, true},
		{"modern without abilities", "2.0", call(`,"_meta":{` + version + `}`), modern, false, false},
		{"modern with abilities of null", "2.0",
			call(`,"_meta":{` + version + `,"io.modelcontextprotocol/clientCapabilities":null}`), modern, false, false},
		{"modern with abilities that are none", "2.0",
			call(`,"_meta":{` + version + `,"io.modelcontextprotocol/clientCapabilities":[]}`), modern, false, false},
		{"modern without a version in itself", "2.0", call(`,"_meta":{` + can + `}`), modern, false, false},
		{"modern without a version in the header", "2.0", call(`,"_meta":{` + version + `,` + can + `}`),
			with("MCP-Protocol-Version", ""), false, false},
		{"modern without a method in the header", "2.0", call(`,"_meta":{` + version + `,` + can + `}`),
			with("Mcp-Method", ""), false, false},
		{"modern with another name in the header", "2.0", call(`,"_meta":{` + version + `,` + can + `}`),
			with("Mcp-Name", "get_company"), false, false},
		{"modern with a method in upper case", "2.0", call(`,"_meta":{` + version + `,` + can + `}`),
			with("Mcp-Method", "TOOLS/CALL"), false, false},
		{"modern and resumed", "2.0", call(`,"_meta":{` + version + `,` + can + `}`), with("Last-Event-ID", "1"),
			false, false},
		{"of a revision to come", "2.0",
			call(`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01",` + can + `}`),
			with("MCP-Protocol-Version", "2099-01-01"), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			body := fmt.Sprintf(`{"jsonrpc":%q,"id":1,"method":"tools/call","params":%s}`, c.version, c.params)
			r := httptest.NewRequest("POST", Path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			for i := 0; i < len(c.header); i += 2 {
				r.Header.Set(c.header[i], c.header[i+1])
			}

			m, fault := parseMessage(r, []byte(body))
			if fault != nil {
				t.Fatal(fault)
			}
			if got := m.isObviouslyValid(r); got != c.obviouslyValid {
				t.Errorf("obviously valid: %t", got)
			}

			bare := m.withoutArguments()
			verdict := bare.checkParams()
			if verdict == nil {
				verdict = bare.validate(r.Header)
			}
			if (verdict == nil) != c.accepted {
				t.Errorf("validated: %+v", verdict)
			}
			if theirs := theirVerdict(t, w, r, m); verdict != nil && theirs != string(mustEncode(verdict)) ||
				verdict == nil && !strings.Contains(theirs, errAnsweredHere.Error()) {
				t.Errorf("validated:  %s\nmcp-go: %s", mustEncode(verdict), theirs)
			}

			answer := w.send("POST", body, c.header...)
			if ok := answer.Code == http.StatusOK && read(t, answer).Error == nil; ok != c.accepted {
				t.Errorf("%d %s", answer.Code, answer.Body)
			}

			usual := w.send("POST", callOf(1, "get_fx_rates", "{}"))
			if len(c.header) > 0 {
				usual = w.sendModern("tools/call", "get_fx_rates", `"name":"get_fx_rates","arguments":{},`)
			}
			if c.accepted && answer.Body.String() != usual.Body.String() {
				t.Errorf("%s\nthe usual answer: %s", answer.Body, usual.Body)
			}
		})
	}
}

func TestListsAreThoseOfMCPGo(t *testing.T) {
	w := newWorld(t)
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		t.Run(method, func(t *testing.T) {
			// The first request is valid, the second has an invalid cursor.
			own, other := w.send("POST", rpc(7, method, "{}")), w.send("POST", rpc(7, method, `{"cursor":""}`))
			if own.Code != 200 || own.Body.String() != other.Body.String() {
				t.Errorf("legacy: %s\nmcp-go: %s", own.Body, other.Body)
			}

			own, other = w.sendModern(method, "", ""), w.sendModern(method, "", `"cursor":"",`)
			if own.Code != 200 || own.Body.String() != other.Body.String() {
				t.Errorf("modern: %s\nmcp-go: %s", own.Body, other.Body)
			}
			if answer := w.sendModern(method, "", "", "Mcp-Method", "tools/call"); answer.Code != 400 {
				t.Errorf("with a different method in the header: %d %s", answer.Code, answer.Body)
			}
		})
	}
}

func TestIDsComeBackAsTheyWere(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{`1`, `-7`, `9007199254740993`, `"a \" b"`, `"\u0103"`, `1.5`} {
		for _, method := range []string{"tools/list", "tools/call", "ping", "initialize", "prompts/list", "nonsense"} {
			answer := w.send("POST", `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+
				`","params":{"name":"get_fx_rates"}}`)
			if got := string(read(t, answer).ID); got != id {
				t.Errorf("%s: %s came back as %s", method, id, got)
			}
		}
	}
}

func TestAnswersSayHowLongTheyAre(t *testing.T) {
	w := newWorld(t)
	for _, body := range []string{list, companyCall(1, example), companyCall(1, unknown),
		rpc(1, "resources/read", `{"uri":"caen://6210"}`)} {
		answer := w.send("POST", body)
		if got := answer.Header().Get("Content-Length"); got != strconv.Itoa(answer.Body.Len()) ||
			!json.Valid(answer.Body.Bytes()) {
			t.Errorf("%s: %s bytes announced, %d sent", body, got, answer.Body.Len())
		}
	}
}

func TestLongNamesAreRefusedShortly(t *testing.T) {
	w := newWorld(t)
	for _, method := range []string{"tools/call", "prompts/get"} {
		answer := w.send("POST", rpc(1, method, `{"name":"`+strings.Repeat("a", 200_000)+`"}`))
		if e := read(t, answer).Error; e == nil || e.Code != -32602 || answer.Body.Len() > 500 {
			t.Errorf("%s: %d bytes %+v", method, answer.Body.Len(), e)
		}
	}
}
