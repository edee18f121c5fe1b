package mcp

import (
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
)

// readBoth reads a resource in both protocol eras.
func (w *world) readBoth(uri string, header ...string) (legacy, modern *httptest.ResponseRecorder) {
	params := fmt.Sprintf(`"uri":%q,`, uri)
	legacy = w.send("POST", rpc(1, "resources/read", "{"+strings.TrimSuffix(params, ",")+"}"), header...)
	return legacy, w.sendModern("resources/read", uri, params, header...)
}

func TestResourcesAreTheAnswersOfTools(t *testing.T) {
	for _, c := range []struct{ uri, tool, argument, value string }{
		{"company://" + example.String(), "get_company", "cui", example.String()},
		{"caen://6210", "get_caen_code", "code", "6210"},
		{"caen://%36210", "get_caen_code", "code", "6210"},
	} {
		for _, authorization := range []string{"", manyKey} {
			w := newWorld(t)
			restCall(t, w, "get_company", good("get_company"), "") // later answers are all hits
			rest := restCall(t, w, c.tool, op.Args{{Name: c.argument, Text: c.value}}, authorization)
			legacy, modern := w.readBoth(c.uri, "Authorization", authorization)
			for i, answer := range []*httptest.ResponseRecorder{legacy, modern} {
				t.Run(c.uri, func(t *testing.T) { checkRead(t, rest, answer, c.uri, i == 1) })
			}
		}
	}
}

func checkRead(t *testing.T, rest *restAnswer, answer *httptest.ResponseRecorder, uri string, modern bool) {
	t.Helper()
	r := read(t, answer).Result
	for name, want := range map[string]string{
		"x-credits-cost": strconv.Itoa(rest.Cost), "x-cache": rest.Cache,
		"RateLimit-Limit": strconv.Itoa(rest.Allowance.Rate.N),
	} {
		if got := raw(answer.Header(), name); got != want {
			t.Errorf("%s: %s, REST %s", name, got, want)
		}
	}

	if len(r.Contents) != 1 || r.Contents[0].URI != uri || r.Contents[0].MIMEType != "application/json" ||
		r.Contents[0].Text != string(rest.Document.JSON) {
		t.Errorf("%s\nREST: %s", answer.Body, rest.Document.JSON)
	}
	if modern && (r.TTLMs <= 0 || r.ResultType != "complete" || (r.CacheScope == "private") != rest.Private) {
		t.Errorf("kept for %d ms, %s", r.TTLMs, r.CacheScope)
	}
	if !modern && (r.TTLMs != 0 || r.CacheScope != "") {
		t.Errorf("an older revision has the members ttlMs, %d, and cacheScope, %q", r.TTLMs, r.CacheScope)
	}
	if string(r.Meta["ro.rodata/creditsCost"]) != strconv.Itoa(rest.Cost) {
		t.Errorf("_meta %s", r.Meta)
	}
}
