package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/conversation"
)

const challenge = `resource_metadata="https://rodata.example/meta", scope="rodata:read rodata:watch"`

// setups are the handlers that a conversation can open.
var setups = map[string]func(*Options){
	"": func(*Options) {},
	"the store down": func(o *Options) {
		o.Gateway.Keys = fakeKeys{down: fmt.Errorf("%w: disk", account.ErrStoreDown)}
	},
	"OAuth":       func(o *Options) { o.Challenge, o.Gateway.Tokens = challenge, tokens{} },
	"watch-lists": func(o *Options) { o.Changes = newChanges() },
	"both": func(o *Options) {
		o.Changes, o.Challenge, o.Gateway.Tokens = newChanges(), challenge, tokens{}
	},
	"one call a second": func(o *Options) { o.Gateway.Anonymous = metering.PerSecond(1, 1) },
}

// converse holds a conversation with the endpoint. Besides HTTP methods, its requests are message, which posts a text,
// call, which calls a tool, and legacy and modern, which send a method with params to the older revisions and to that
// of 2026-07-28. A header field with the value none is left out.
func converse(t *testing.T, file string) {
	var w *world
	c := conversation.Conversation{
		Steps: map[string]func(*testing.T, string){"open": func(t *testing.T, setup string) {
			w = newWorld(t, setups[setup])
		}},
		Values: map[string]string{
			"example": example.String(), "broken": broken.String(), "slow": slow.String(), "shut": shut.String(),
			"mistaken": mistaken.String(), "panicky": panicky.String(), "unknown": unknown.String(),
			"good": goodKey, "many": manyKey, "spent": spentKey, "challenge": challenge, "suppliers": suppliers,
			"deep": strings.Repeat("[", 10_000), "long": strings.Repeat("a", 200_000),
			"short":  strings.Repeat("a", 300),
			"digits": strings.Repeat("1", longestURI-len("company://")), "bad": "\xff",
			"begin": begin,
			"full":  strings.Repeat(" ", 256<<10-len(list)) + list,
			"batch": strings.Repeat(list+",", 1000) + list,
		},
		Send: func(t *testing.T, request conversation.Request) (conversation.Answer, error) {
			r := newRequest(request.Method, request.Address)
			for name, values := range request.Header {
				if r.Header[name] = values; values[0] == "none" {
					delete(r.Header, name)
				}
			}

			return w.answer(t, r), nil
		},
	}
	c.Run(t, "testdata/"+file+".txt")
}

// answer returns the answer to a request, and checks it with checkAnswer.
func (w *world) answer(t *testing.T, r *http.Request) conversation.Answer {
	t.Helper()
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Server", "Caddy")
	w.ServeHTTP(recorder, r)
	answer := conversation.Answer{Status: recorder.Code, Header: http.Header{}, Body: recorder.Body.String()}
	for name, values := range recorder.Result().Header {
		answer.Header[http.CanonicalHeaderKey(name)] = values
	}

	checkAnswer(t, answer)
	return answer
}

// newRequest returns the request of a line: see converse.
func newRequest(verb, line string) *http.Request {
	method, params, _ := strings.Cut(line, " ")
	switch params = cmp.Or(params, "{}"); verb {
	case "message":
		return newMessage(line)
	case "call":
		return newMessage(callOf(1, method, params))
	case "legacy":
		return newMessage(rpc(1, method, params))
	case "modern":
		var named struct{ Name, URI string }
		_ = json.Unmarshal([]byte(params), &named)
		members := strings.TrimSuffix(strings.TrimSuffix(params, "}")+",", "{,") // without the last brace
		if members == "" {
			members = "{"
		}

		r := newMessage(rpc(1, method, members+modernMeta+"}"))
		r.Header["Mcp-Protocol-Version"], r.Header["Mcp-Method"] = []string{"2026-07-28"}, []string{method}
		if name := named.Name + named.URI; name != "" {
			r.Header["Mcp-Name"] = []string{name}
		}
		return r
	}

	return httptest.NewRequest(verb, "http://rodata.example"+strings.TrimPrefix(line, "http://rodata.example"), nil)
}

func newMessage(text string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://rodata.example"+Path, strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

// errorID is the random id of an internal error, which may spell a forbidden word.
var errorID = regexp.MustCompile(`under the id [A-Z0-9]+`)

// checkAnswer checks what is true of every answer: it reveals nothing internal, names no server, and is as long as
// announced; a problem names itself, and the error of a tool is in _meta, too.
func checkAnswer(t *testing.T, answer conversation.Answer) {
	body := answer.Body
	testkit.Equal(t, answer.Header.Get("Server"), "", "Server")
	for _, internal := range []string{"panic", "secret", ".go", "192.0.2", "dial tcp", "&{", "rodata_live", "struct ",
		"json:", "unmarshal", "mcp.", "mcp-go", " Go ", "map[", "interface {", "runtime", "/usr/", "reflect",
		"invalid character", "unexpected end", "strconv", "EOF", "context c", "%!"} {
		if strings.Contains(errorID.ReplaceAllString(body, ""), internal) {
			t.Errorf("the answer says %q: %s", internal, body)
		}
	}

	if answer.Header.Get("Content-Type") == "application/problem+json" {
		p := readProblem(t, []byte(body))
		if p.Status != answer.Status || !strings.HasPrefix(p.Type, "http://rodata.example/problems/") {
			t.Errorf("%d: %s", answer.Status, body)
		}
	}

	if n := answer.Header.Get("Content-Length"); n != "" && n != fmt.Sprint(len(body)) ||
		strings.HasPrefix(body, "{") && !json.Valid([]byte(body)) {
		t.Errorf("%s bytes announced, %d sent: %s", n, len(body), body)
	}

	var r reply
	if json.Unmarshal([]byte(body), &r) != nil || !r.Result.IsError {
		return
	}

	text := r.Result.Content[0].Text
	if p := readProblem(t, []byte(text)); r.Result.StructuredContent != nil || len(r.Result.Content) != 1 ||
		string(r.Result.Meta["ro.rodata/status"]) != fmt.Sprint(p.Status) ||
		!sameJSON(t, r.Result.Meta["ro.rodata/problem"], []byte(text)) {
		t.Errorf("the error is not in _meta: %s", body)
	}
}

func TestDiscovery(t *testing.T) { converse(t, "discovery") }

// A request without a message gets a problem, and a malformed or wrong message gets a JSON-RPC error.
func TestMessages(t *testing.T) { converse(t, "messages") }

func TestKeys(t *testing.T) { converse(t, "keys") }

func TestErrorsOfTools(t *testing.T) { converse(t, "tools") }

func TestResourcesAndPrompts(t *testing.T) { converse(t, "resources") }

func TestRevisions(t *testing.T) { converse(t, "revisions") }
