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

// junk holds JSON values, most of which are wrong in any position, and texts that are not JSON.
var junk = []string{`null`, `true`, `0`, `-1`, `0.5`, `1e999`, `123456789012345678901234567890`, `""`, `" "`, `"x"`,
	`"\u0000"`, `"\ud800"`, `"%s%d%v"`, `"2026-07-28"`, `"tools/call"`, `"\\\""`, `[]`, `[1,"a",null]`, `[[]]`, `{}`,
	`{"a":{"b":[]}}`, `{"":0}`, `"` + strings.Repeat("ă", 3_000) + `"`, strings.Repeat("9", 400),
	strings.Repeat("[", 99) + strings.Repeat("]", 99), strings.Repeat("[", 10_001), "\"\xff\"", "\"\n\"", `NaN`, `'x'`, ``}

// mistakes replace one match in a message. In a replacement, @ is the match, ^ is the match in upper case, which
// encoding/json reads as the same name, # is junk, and \x04 cuts the message off. If the junk is JSON, the first five
// leave JSON.
var mistakes = []struct{ match, replacement string }{
	{`"[^"]*":`, `@#,"x":`}, {`"[^"]*"|[0-9.]+`, `#`}, {`"[^"]*":`, `@#,@`}, {`"[^"]*":`, `@#,^`}, {`"[^"]*":`, `#:`},
	{`(?s)^.*`, `[@]`}, {``, `#`}, {`.`, ``}, {`.`, "\x01"}, {`.`, "\x04"},
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// withMistake returns a text with one more mistake.
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

// wrongHeaders are header fields that do not fit most messages.
var wrongHeaders = [][2]string{{"Content-Type", "text/plain"}, {"Content-Type", "application/json; charset=\xff"},
	{"Accept", "nonsense"}, {"MCP-Protocol-Version", "2024-11-05"}, {"MCP-Protocol-Version", "9999-99-99"},
	{"MCP-Protocol-Version", "\x00"}, {"Mcp-Method", "tools/list"}, {"Mcp-Method", ""}, {"Mcp-Name", "get_usage"},
	{"Mcp-Name", "=?base64?%%%?="}, {"Mcp-Param-Cui", "1"}, {sessionHeader, "x.y"}, {"Last-Event-Id", "-1"},
	{"Authorization", "Bearer x"}, {"Authorization", goodKey}, {"X-Api-Key", "\xff"}, {"Origin", "null"}}

// malformedRequest returns the request of a valid line (see newRequest) with mistakes in its body and header.
func malformedRequest(random *rand.Rand, valid string) (r *http.Request, text string) {
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

// Malformed messages are refused with a JSON-RPC error or a problem, which blames the client and reveals nothing about
// the program (checkAnswer). The test ends after 10,000 refusals, or 2,000 in its short form.
func TestMalformedMessagesLong(t *testing.T) {
	random, w, sent := rand.New(rand.NewPCG(1, 2)), newWorld(t, setups["watch-lists"]), 0
	w.Address = func(*http.Request) netip.Addr { // each has a bucket of its own
		return netip.AddrFrom4([4]byte{10, byte(sent >> 16), byte(sent >> 8), byte(sent)})
	}

	valid := strings.Split(string(bytes.TrimSpace(testkit.Must(os.ReadFile("testdata/valid.txt")))), "\n")
	for refused := 0; refused < long.Length(t, 2_000, 10_000); sent++ {
		r, text := malformedRequest(random, pick(random, valid))
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

// isRefusal reports whether an answer is an error, and checks that the answer conforms to the protocol.
func isRefusal(t *testing.T, answer conversation.Answer) (refused bool) {
	t.Helper()
	if answer.Header.Get("Content-Type") == "application/problem+json" {
		return true // checkAnswer has read it
	}

	parts := part.FindAllStringSubmatch(answer.Body, -1)
	if isAccepted := answer.Status == http.StatusAccepted && answer.Body == ""; isAccepted != (len(parts) == 0) {
		t.Error("the answer has no message, and is not an empty 202 either")
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
			t.Errorf("not a JSON-RPC message: %.500s", text)
		}
		refused = refused || m.Error != nil || bytes.Contains(m.Result, []byte(`"isError":true`))
	}

	return refused
}
