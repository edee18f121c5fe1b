package mcp

import (
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
)

// readBoth reads a resource in both protocol eras.
func (w *world) readBoth(uri string, header ...string) (legacy, modern *httptest.ResponseRecorder) {
	params := fmt.Sprintf(`"uri":%q,`, uri)
	legacy = w.send("POST", rpc(1, "resources/read", "{"+strings.TrimSuffix(params, ",")+"}"), header...)
	return legacy, w.sendModern("resources/read", uri, params, header...)
}

func TestTemplatesOfResources(t *testing.T) {
	w := newWorld(t)
	for era, answer := range map[string]*httptest.ResponseRecorder{
		"legacy": w.send("POST", rpc(1, "resources/templates/list", "{}")),
		"modern": w.sendModern("resources/templates/list", "", ""),
	} {
		r := read(t, answer).Result
		var addresses []string
		for _, template := range r.ResourceTemplates {
			addresses = append(addresses, template.URITemplate)
			if template.Title == "" || template.MIMEType != "application/json" ||
				!strings.Contains(template.Description, "The same as the tool get_") && template.Name != "watchlist" {
				t.Errorf("%s: %+v", era, template)
			}
		}

		if strings.Join(addresses, " ") != "caen://{code} company://{cui} watchlist://{id}" {
			t.Errorf("%s: %v", era, addresses)
		}
	}

	if r := read(t, w.send("POST", rpc(1, "resources/list", "{}"))).Result; r.Resources == nil ||
		len(r.Resources) != 0 {
		t.Errorf("resources that are not templates: %v", r.Resources)
	}
}

func TestResourcesAreTheAnswersOfTools(t *testing.T) {
	for _, c := range []struct {
		name, uri, tool string
		args            op.Args
		code, modern    int // JSON-RPC errors
	}{
		{"a company", "company://" + example.String(), "get_company", op.Args{{Name: "cui", Text: example.String()}},
			0, 0},
		{"an activity", "caen://6210", "get_caen_code", op.Args{{Name: "code", Text: "6210"}}, 0, 0},
		{"an encoded activity", "caen://%36210", "get_caen_code", op.Args{{Name: "code", Text: "6210"}}, 0, 0},
		{"a company that nobody knows", "company://" + unknown.String(), "get_company",
			op.Args{{Name: "cui", Text: unknown.String()}}, -32002, -32602},
		{"a number that is none", "company://RO1", "get_company", op.Args{{Name: "cui", Text: "RO1"}}, -32602, -32602},
		{"a dropped activity", "caen://6201", "get_caen_code", op.Args{{Name: "code", Text: "6201"}}, -32002, -32602},
		{"no activity", "caen://", "get_caen_code", op.Args{{Name: "code", Text: ""}}, -32602, -32602},
		{"a registry that is down", "company://" + shut.String(), "get_company",
			op.Args{{Name: "cui", Text: shut.String()}}, -32603, -32603},
		{"a mistake of ours", "company://" + panicky.String(), "get_company",
			op.Args{{Name: "cui", Text: panicky.String()}}, -32603, -32603},
	} {
		for _, authorization := range []string{"", manyKey} {
			t.Run(c.name, func(t *testing.T) {
				w := newWorld(t)
				restCall(t, w, "get_company", good("get_company"), "") // later answers are all hits
				rest := restCall(t, w, c.tool, c.args, authorization)
				legacy, modern := w.readBoth(c.uri, "Authorization", authorization)
				for i, answer := range []*httptest.ResponseRecorder{legacy, modern} {
					checkRead(t, rest, answer, c.uri, []int{c.code, c.modern}[i], i == 1)
				}
			})
		}
	}
}

func checkRead(t *testing.T, rest *restAnswer, answer *httptest.ResponseRecorder, uri string, code int, modern bool) {
	t.Helper()
	r := read(t, answer)
	for name, want := range map[string]string{
		"x-credits-cost": strconv.Itoa(rest.Cost), "x-cache": rest.Cache,
		"RateLimit-Limit": strconv.Itoa(rest.Allowance.Rate.N),
	} {
		if got := raw(answer.Header(), name); got != want && rest.Problem == nil {
			t.Errorf("%s: %s, REST %s", name, got, want)
		}
	}

	if code == 0 {
		if r.Error != nil || len(r.Result.Contents) != 1 {
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
		if c := r.Result.Contents[0]; c.URI != uri || c.MIMEType != "application/json" ||
			c.Text != string(rest.Document.JSON) {
			t.Errorf("%+v\nREST: %s", c, rest.Document.JSON)
		}
		if scope := r.Result.CacheScope; modern &&
			(r.Result.TTLMs <= 0 || r.Result.ResultType != "complete" || (scope == "private") != rest.Private) {
			t.Errorf("kept for %d ms, %s", r.Result.TTLMs, scope)
		}
		if !modern && (r.Result.TTLMs != 0 || r.Result.CacheScope != "") {
			t.Errorf("an older revision has the members ttlMs, %d, and cacheScope, %q", r.Result.TTLMs,
				r.Result.CacheScope)
		}
		if string(r.Result.Meta["ro.rodata/creditsCost"]) != strconv.Itoa(rest.Cost) {
			t.Errorf("_meta %s", r.Result.Meta)
		}

		return
	}

	status := 200
	if modern && code == -32602 {
		status = 400
	}
	if r.Error == nil || r.Error.Code != code || answer.Code != status || r.Error.Data.URI != uri {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	if withoutID(t, string(r.Error.Data.Problem)) != withoutID(t, rest.problem) ||
		r.Error.Message != readProblem(t, r.Error.Data.Problem).Detail {
		t.Errorf("%s\nREST: %s", answer.Body, rest.problem)
	}

	for _, internal := range []string{"secret", ".go", "panic"} {
		if strings.Contains(answer.Body.String(), internal) {
			t.Errorf("the answer says %q", internal)
		}
	}
}

func TestOtherResources(t *testing.T) {
	w := newWorld(t)
	for _, uri := range []string{"file:///etc/passwd", "caen://62/10", "caen://%zz"} {
		legacy, modern := w.readBoth(uri)
		for i, answer := range []*httptest.ResponseRecorder{legacy, modern} {
			r := read(t, answer)
			if r.Error == nil || r.Error.Code != []int{-32002, -32602}[i] || answer.Code != []int{200, 400}[i] ||
				r.Error.Data.URI != uri ||
				!strings.Contains(r.Error.Message, "caen://{code}, company://{cui}, watchlist://{id}") {
				t.Errorf("%s: %d %s", uri, answer.Code, answer.Body)
			}
		}
	}

	const notification = `{"jsonrpc":"2.0","method":"resources/read","params":{"uri":"file:///etc/passwd"}}`
	if answer := w.send("POST", notification); answer.Code != 202 || answer.Body.Len() > 0 {
		t.Errorf("a notification: %d %s", answer.Code, answer.Body)
	}
	if answer := w.sendModern("resources/read", "caen://6210",
		`"uri":"company://`+example.String()+`",`); answer.Code != 400 || read(t, answer).Error.Code != -32020 {
		t.Errorf("a header of another address: %d %s", answer.Code, answer.Body)
	}
}

func TestLongURIsAreRefusedBriefly(t *testing.T) {
	w := newWorld(t)
	for _, scheme := range []string{"company://", "file://"} {
		longest := scheme + strings.Repeat("1", longestURI-len(scheme))
		for uri, refused := range map[string]bool{longest: false, longest + "1": true,
			longest + strings.Repeat("1", 200<<10): true} {
			legacy, modern := w.readBoth(uri)
			for _, answer := range []*httptest.ResponseRecorder{legacy, modern} {
				r := read(t, answer)
				if says := strings.Contains(answer.Body.String(), "URIs have at most 256 bytes"); r.Error == nil ||
					says != refused || refused && (r.Error.Code != -32602 || answer.Body.Len() > 500) {
					t.Errorf("%d bytes: %d %.500s", len(uri), answer.Code, answer.Body)
				}
			}
		}
	}
}

func TestResourcesShareTheBucketOfTools(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Gateway.Anonymous = metering.PerSecond(1, 2) })
	w.send("POST", callOf(1, "get_fx_rates", "{}"))
	if legacy, _ := w.readBoth("caen://6210"); read(t, legacy).Error != nil {
		t.Fatalf("the second call: %s", legacy.Body)
	}

	legacy, modern := w.readBoth("caen://6210")
	for _, answer := range []*httptest.ResponseRecorder{legacy, modern} {
		if r := read(t, answer); r.Error == nil || r.Error.Code != -32603 ||
			readProblem(t, r.Error.Data.Problem).Status != 429 || r.Error.Data.RetryAfterSeconds != 1 ||
			answer.Header().Get("Retry-After") != "1" {
			t.Errorf("beyond the burst: %d %v %s", answer.Code, answer.Header(), answer.Body)
		}
	}
}
