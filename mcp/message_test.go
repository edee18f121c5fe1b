package mcp

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

func TestIDsComeBackAsTheyWere(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{`1`, `-7`, `9007199254740993`, `"a \" b"`, `"\u0103"`, `1.5`, `1e3`} {
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
