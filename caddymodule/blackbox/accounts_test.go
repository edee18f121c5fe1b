package blackbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// operator manages accounts through the admin API.
type operator struct {
	*testing.T
	admin *gateway
}

// asks sends a request with a JSON body, unless it is empty, and decodes the answer into answer, unless that is nil.
func (o operator) asks(method, path, body string, answer any) {
	o.Helper()
	more := request{body: body}
	if body != "" {
		more.header = map[string]string{"Content-Type": "application/json"}
	}

	got := o.admin.do(o.T, method, path, more)
	if got.StatusCode >= 300 {
		o.Fatalf("%s %s: got %d %s", method, path, got.StatusCode, got.body)
	}

	if answer != nil {
		if err := json.Unmarshal(got.body, answer); err != nil {
			o.Fatalf("%s %s: %v in %s", method, path, err, got.body)
		}
	}
}

// opens opens an account on a plan, and returns its id and one of its keys.
func (o operator) opens(plan string) (id, key string) {
	o.Helper()
	var opened struct{ ID string }
	o.asks("POST", "/rodata/accounts", `{"plan":"`+plan+`"}`, &opened)
	var issued struct{ Key string }
	o.asks("POST", "/rodata/accounts/"+opened.ID+"/keys", `{"name":"first"}`, &issued)
	return opened.ID, issued.Key
}

// bearer returns a request with a key, and a JSON body unless that is empty.
func bearer(key, body string) request {
	header := map[string]string{"Authorization": "Bearer " + key}
	if body != "" {
		header["Content-Type"] = "application/json"
	}
	return request{body: body, header: header}
}

func TestOperatorsManageAccounts(t *testing.T) {
	var admin gateway
	g := start(t, withAdmin(t, &admin))
	o := operator{t, &admin}
	id, key := o.opens("free")
	if got := g.do(t, "GET", "/v1/keys", bearer(key, "")); got.StatusCode != http.StatusOK ||
		got.Header.Get("RateLimit-Limit") != "2" {
		t.Errorf("got %d %s %v", got.StatusCode, got.body, got.Header)
	}

	var shown struct{ Plan string }
	if o.asks("PUT", "/rodata/accounts/"+id+"/plan", `{"plan":"enterprise"}`, &shown); shown.Plan != "enterprise" {
		t.Errorf("the plan is %q", shown.Plan)
	}
	if got := g.do(t, "GET", "/v1/keys", bearer(key, "")); got.Header.Get("RateLimit-Limit") != "100" {
		t.Errorf("the next call has the limit %s", got.Header.Get("RateLimit-Limit"))
	}

	o.asks("DELETE", "/rodata/accounts/"+id, "", nil)
	g.do(t, "GET", "/v1/keys", bearer(key, "")).problem(t, 401, "unauthorized")

	for name, c := range map[string]struct {
		method, path, body string
		status             int
	}{
		"unknown plan":   {"POST", "/rodata/accounts", `{"plan":"gold"}`, 400},
		"unknown field":  {"POST", "/rodata/accounts", `{"plna":"free"}`, 400},
		"no body":        {"POST", "/rodata/accounts", "", 400},
		"no account":     {"GET", "/rodata/accounts/unknown", "", 404},
		"closed":         {"DELETE", "/rodata/accounts/" + id, "", 404},
		"no credits":     {"POST", "/rodata/accounts/" + id + "/credits", `{"credits":0}`, 400},
		"a wrong method": {"PUT", "/rodata/accounts/" + id, "", 405},
	} {
		if got := admin.do(t, c.method, c.path, request{body: c.body}); got.StatusCode != c.status ||
			!strings.Contains(string(got.body), `{"error":`) {
			t.Errorf("%s: got %d %s, want %d", name, got.StatusCode, got.body, c.status)
		}
	}
}

// Routes that need an account answer anonymous callers with 401, and no cache stores their answers.
func TestEveryAccountRoute(t *testing.T) {
	var admin gateway
	g := start(t, withAdmin(t, &admin))
	_, key := operator{t, &admin}.opens("pro")
	for _, path := range accountRoutes {
		method, other, allow := "GET", "PUT", "GET, HEAD, OPTIONS"
		switch path {
		case "/v1/keys":
			allow = "GET, HEAD, POST, OPTIONS"
		case "/v1/keys/{id}":
			method, other, allow = "DELETE", "GET", "DELETE, OPTIONS"
		}

		refused := g.do(t, other, path, bearer(key, ""))
		if refused.problem(t, 405, "method-not-allowed"); refused.Header.Get("Allow") != allow {
			t.Errorf("%s: allowed is %q, want %q", path, refused.Header.Get("Allow"), allow)
		}

		anonymous := g.do(t, method, path, request{})
		if detail := anonymous.problem(t, 401, "unauthorized"); !strings.Contains(detail, g.url+"/dashboard/keys") ||
			anonymous.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %s %v", path, detail, anonymous.Header)
		}
		if method != "GET" {
			continue
		}

		for _, method := range []string{"GET", "HEAD"} {
			got := g.do(t, method, path, bearer(key, ""))
			if got.StatusCode != 200 || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("ETag") != "" ||
				(len(got.body) > 0) != (method == "GET") {
				t.Errorf("%s %s: got %d %s %v", method, path, got.StatusCode, got.body, got.Header)
			}
		}
	}
}

// signUp creates a user and returns the cookie of their session.
func (g *gateway) signUp(t *testing.T, email, password string) (cookie string) {
	t.Helper()
	body, err := json.Marshal(object{"name": "Ana Exemplu", "email": email, "password": password})
	testkit.NoError(t, err)

	got := g.do(t, "POST", "/api/auth/sign-up/email",
		request{body: string(body), header: map[string]string{"Content-Type": "application/json"}})
	cookie, _, _ = strings.Cut(got.Header.Get("Set-Cookie"), ";")
	if got.StatusCode != http.StatusOK || cookie == "" {
		t.Fatalf("got %d %s %v", got.StatusCode, got.body, got.Header)
	}

	return cookie
}
