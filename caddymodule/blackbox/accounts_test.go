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
