package mcp

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/metering"
)

func (w *world) completeBoth(ref, argument, value string) (legacy, modern *httptest.ResponseRecorder) {
	params := fmt.Sprintf(`"ref":%s,"argument":{"name":%q,"value":%q},`, ref, argument, value)
	legacy = w.send("POST", rpc(1, "completion/complete", "{"+strings.TrimSuffix(params, ",")+"}"))
	return legacy, w.sendModern("completion/complete", "", params)
}

func TestCompletions(t *testing.T) {
	const prompt, template = `{"type":"ref/prompt","name":%q}`, `{"type":"ref/resource","uri":%q}`
	for _, c := range []struct{ name, ref, argument, value, want string }{
		{"a company by its name", fmt.Sprintf(template, "company://{cui}"), "cui", "exem", example.String()},
		{"a company for a prompt", fmt.Sprintf(prompt, "verify_supplier"), "cui", "exem", example.String()},
		{"too little of a name", fmt.Sprintf(prompt, "verify_supplier"), "cui", "e", ""},
		{"an activity", fmt.Sprintf(template, "caen://{code}"), "code", "62", "6210"},
		{"nothing typed yet", fmt.Sprintf(template, "caen://{code}"), "code", "", ""},
		{"all currencies", fmt.Sprintf(prompt, "convert_invoice"), "currency", "", "EUR USD"},
		{"a currency", fmt.Sprintf(prompt, "convert_invoice"), "currency", "u", "USD"},
		{"a day", fmt.Sprintf(prompt, "convert_invoice"), "date", "2026", ""},
		{"an unknown prompt", fmt.Sprintf(prompt, "verify_customer"), "customer", "exem", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			legacy, modern := newWorld(t).completeBoth(c.ref, c.argument, c.value)
			for _, answer := range []*httptest.ResponseRecorder{legacy, modern} {
				r := read(t, answer)
				if got := strings.Join(r.Result.Completion.Values, " "); answer.Code != 200 || r.Error != nil ||
					got != c.want || r.Result.Completion.Values == nil {
					t.Errorf("%d %s", answer.Code, answer.Body)
				}
			}
		})
	}
}

func TestCompletionsAreLimitedAsTools(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Gateway.Anonymous = metering.PerSecond(1, 1) })
	const ref = `{"type":"ref/prompt","name":"convert_invoice"}`
	first, second := w.completeBoth(ref, "currency", "")
	if len(read(t, first).Result.Completion.Values) == 0 {
		t.Error("nothing is proposed")
	}
	if r := read(t, second); r.Error != nil || len(r.Result.Completion.Values) != 0 {
		t.Errorf("beyond the burst: %s", second.Body)
	}
}
