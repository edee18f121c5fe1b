package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/conversation"
	"github.com/rodata/rodata/testkit/long"
)

// junk has values, most of which are wrong wherever they are put, and texts that are no values.
var junk = []string{`null`, `true`, `0`, `-1`, `0.5`, `1e999`, `123456789012345678901234567890`, `""`, `" "`, `"x"`,
	`"\u0000"`, `"\ud800"`, `"%s%d%v"`, `"2026-07-28"`, `"tools/call"`, `"\\\""`, `[]`, `[1,"a",null]`, `[[]]`, `{}`,
	`{"a":{"b":[]}}`, `{"":0}`, `"` + strings.Repeat("ă", 3_000) + `"`, strings.Repeat("9", 400),
	strings.Repeat("[", 99) + strings.Repeat("]", 99), strings.Repeat("[", 10_001), "\"\xff\"", "\"\n\"", `NaN`, `'x'`, ``}

// mistakes are what replaces one of the matches in a message: @ stands for the match, ^ for it in other letters, which
// count as the same, and # for junk; \x04 ends the message. The first half leaves valid JSON, if the junk is.
var mistakes = []struct{ match, replacement string }{
	{`"[^"]*":`, `@#,"x":`}, {`"[^"]*"|[0-9.]+`, `#`}, {`"[^"]*":`, `@#,@`}, {`"[^"]*":`, `@#,^`}, {`"[^"]*":`, `#:`},
	{`(?s)^.*`, `[@]`}, {``, `#`}, {`.`, ``}, {`.`, "\x01"}, {`.`, "\x04"},
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// withMistake returns a text with a mistake.
func withMistake(random *rand.Rand, text string) string {
	kinds := mistakes
	if random.IntN(5) > 0 {
		kinds = mistakes[:5]
	}

	mistake, junk := pick(random, kinds), pick(random, junk)
	matches := regexp.MustCompile(mistake.match).FindAllStringIndex(text, -1)
	if matches == nil {
		return text
	}

	at := pick(random, matches)
	match := text[at[0]:at[1]]
	text = text[:at[0]] + strings.NewReplacer("@", match, "^", strings.ToUpper(match), "#", junk).Replace(
		mistake.replacement) + text[at[1]:]
	text, _, _ = strings.Cut(text, "\x04")
	return text
}

// wrongHeaders are members of a header that do not fit most messages.
var wrongHeaders = [][2]string{{"Content-Type", "text/plain"}, {"Content-Type", "application/json; charset=\xff"},
	{"Accept", "nonsense"}, {"MCP-Protocol-Version", "2024-11-05"}, {"MCP-Protocol-Version", "9999-99-99"},
	{"MCP-Protocol-Version", "\x00"}, {"Mcp-Method", "tools/list"}, {"Mcp-Method", ""}, {"Mcp-Name", "get_usage"},
	{"Mcp-Name", "=?base64?%%%?="}, {"Mcp-Param-Cui", "1"}, {sessionHeader, "x.y"}, {"Last-Event-Id", "-1"},
	{"Authorization", "Bearer x"}, {"Authorization", goodKey}, {"X-Api-Key", "\xff"}, {"Origin", "null"}}

// malformed returns the request of a valid message, a line of newRequest, with mistakes in it and in its header.
func malformed(random *rand.Rand, valid string) (r *http.Request, text string) {
	correct := newRequest(pick(random, []string{"legacy", "modern"}), valid)
	text = string(testkit.Must(io.ReadAll(correct.Body)))
	for range 1 + random.IntN(2) {
		text = withMistake(random, text)
	}

	r = newMessage(text)
	r.Header = correct.Header
	if wrong := pick(random, wrongHeaders); random.IntN(5) == 0 {
		r.Header.Set(wrong[0], wrong[1])
	}
	return r, text
}

// Wrong messages are refused with an error of JSON-RPC or a problem, which blames the client and tells nothing about
// the program: see checkAnswer. 10,000 are refused, or 2,000 in the short form.
func TestMalformedMessagesLong(t *testing.T) {
	random, w, sent := rand.New(rand.NewPCG(1, 2)), newWorld(t, setups["watch-lists"]), 0
	w.Address = func(*http.Request) netip.Addr { // each has a bucket of its own
		return netip.AddrFrom4([4]byte{10, byte(sent >> 16), byte(sent >> 8), byte(sent)})
	}

	valid := strings.Split(string(bytes.TrimSpace(testkit.Must(os.ReadFile("testdata/valid.txt")))), "\n")
	for refused := 0; refused < long.Length(t, 2_000, 10_000); sent++ {
		r, text := malformed(random, pick(random, valid))
		answer := w.answer(t, r)
		if isRefusal(t, answer) {
			refused++
		}
		if answer.Status >= 500 || sent > 20_000 || t.Failed() {
			t.Fatalf("%.1000q %v\ngets %d %.1000s", text, r.Header, answer.Status, answer.Body)
		}
	}
}

// part matches a message in an answer, also in a stream.
var part = regexp.MustCompile(`(?m)^(?:data: )?(\{.*)$`)

// isRefusal reports whether an answer is an error. It checks that it is an answer of the protocol.
func isRefusal(t *testing.T, answer conversation.Answer) (refused bool) {
	t.Helper()
	if answer.Header.Get("Content-Type") == "application/problem+json" {
		return true // checkAnswer has read it
	}

	parts := part.FindAllStringSubmatch(answer.Body, -1)
	if isAccepted := answer.Status == http.StatusAccepted && answer.Body == ""; isAccepted != (len(parts) == 0) {
		t.Error("neither a message nor accepted without one")
	}
	for _, text := range parts {
		var m struct {
			JSONRPC, Method string
			ID, Result      json.RawMessage
			Error           *fault
		}
		err := json.Unmarshal([]byte(text[1]), &m)
		isAnswer := m.ID != nil && (m.Result == nil) == (m.Error != nil) && m.Method == ""
		if err != nil || m.JSONRPC != "2.0" || !isAnswer && (m.Method == "" || m.ID != nil) ||
			m.Error != nil && (m.Error.Code > -32000 || m.Error.Code < -32768 || m.Error.Text == "") {
			t.Errorf("no message of JSON-RPC: %.500s", text)
		}
		refused = refused || m.Error != nil || bytes.Contains(m.Result, []byte(`"isError":true`))
	}

	return refused
}
