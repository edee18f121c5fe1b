package blackbox

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// makesKey creates a key with a session.
func (g *gateway) makesKey(t *testing.T, cookie string) string {
	t.Helper()
	var key struct{ Key string }
	if got := g.fromPage(t, "/v1/keys", `{"name":"exemplu"}`, cookie); json.Unmarshal(got.body, &key) != nil ||
		key.Key == "" {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}

	return key.Key
}

// Names of persons are only for accounts with an accountable owner, on every channel.
func TestPersonsAreForAccountableAccounts(t *testing.T) {
	var admin gateway
	g := start(t, withAdmin(t, &admin))
	o := operator{t, &admin}
	cui := company(t)
	refused := func(key string) bool {
		t.Helper()
		rest := g.do(t, "GET", "/v1/companies/"+cui+"?include=legalRepresentatives", bearer(key, ""))
		call := bearer(key, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_company","arguments":{"cui":"`+cui+`","include":"legalRepresentatives"}}}`)
		tool := g.do(t, "POST", "/mcp", call)
		if rest.StatusCode != http.StatusForbidden {
			// The trade register is not loaded, which only permitted callers learn.
			if rest.StatusCode != http.StatusServiceUnavailable ||
				!strings.Contains(string(tool.body), `"ro.rodata/status":503`) {
				t.Fatalf("got %d %s and %s", rest.StatusCode, rest.body, tool.body)
			}
			return false
		}

		rest.problem(t, http.StatusForbidden, "forbidden")
		for _, way := range []string{"/api/auth/send-verification-email", "/v1/plans", "operator"} {
			if !strings.Contains(string(rest.body), way) {
				t.Errorf("%s is not named in %s", way, rest.body)
			}
		}

		if cost := rest.Header.Get("x-credits-cost"); cost != "0" ||
			!strings.Contains(string(tool.body), `"ro.rodata/status":403`) {
			t.Errorf("cost %s; the tool answers %s", cost, tool.body)
		}

		return true
	}

	cookie := g.signUp(t, "ana@exemplu.example", "o parolă lungă")
	key := g.makesKey(t, cookie)
	if !refused(key) {
		t.Error("an account with an invented address is not refused")
	}
	if got := g.do(t, "GET", "/v1/companies/"+cui, bearer(key, "")); got.StatusCode != http.StatusOK {
		t.Errorf("the rest of the profile: %d %s", got.StatusCode, got.body)
	}

	var found []struct{ ID string }
	o.asks("POST", "/rodata/accounts/find", `{"query":"ana@exemplu.example"}`, &found)
	var link struct{ URL string }
	o.asks("POST", "/rodata/accounts/"+found[0].ID+"/password-link", "", &link)
	u, err := url.Parse(link.URL)
	testkit.NoError(t, err)

	body, _ := json.Marshal(object{"token": u.Query().Get("token"), "newPassword": "o altă parolă"})
	if got := g.fromPage(t, "/api/auth/reset-password", string(body), ""); got.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}

	signedIn := g.fromPage(t, "/api/auth/sign-in/email", `{"email":"ana@exemplu.example","password":"o altă parolă"}`,
		"")
	if refused(g.makesKey(t, signedIn.cookie())) {
		t.Error("an account with a verified address is refused")
	}

	if _, key := o.opens("free"); refused(key) {
		t.Error("an account that an operator opened is refused")
	}
}
