package blackbox

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/mailserver"
)

const (
	signUpAna = `{"name":"Ana Exemplu","email":"ana@exemplu.example","password":"o parolă lungă"}`
	signInAna = `{"email":"ana@exemplu.example","password":"o parolă lungă"}`
)

// fromPage sends JSON as a page of the service does, with a cookie.
func (g *gateway) fromPage(t *testing.T, path, body, cookie string) answer {
	t.Helper()
	header := map[string]string{"Content-Type": "application/json", "Origin": g.url}
	if cookie != "" {
		header["Cookie"] = cookie
	}

	return g.do(t, "POST", path, request{body: body, header: header})
}

// cookie returns the cookie that the browser sends after an answer.
func (a answer) cookie() string {
	var all []string
	for _, line := range a.Header["Set-Cookie"] {
		pair, _, _ := strings.Cut(line, ";")
		all = append(all, pair)
	}
	return strings.Join(all, "; ")
}

// From sign-up to deletion: a session creates a key, both survive a reload, and the deletion of the account ends both.
func signIn(t *testing.T, g *gateway) {
	got := g.fromPage(t, "/api/auth/sign-up/email", signUpAna, "")
	cookie := got.cookie()
	if got.StatusCode != http.StatusOK || !strings.HasPrefix(cookie, "better-auth.session_token=") {
		t.Fatalf("got %d %v %s", got.StatusCode, got.Header, got.body)
	}

	withCookie := request{header: map[string]string{"Cookie": cookie}}
	if got := g.do(t, "GET", "/api/auth/get-session",
		withCookie); got.object(t)["user"].(object)["email"] != "ana@exemplu.example" {
		t.Errorf("got %s", got.body)
	}

	got = g.do(t, "POST", "/v1/keys",
		request{body: `{"name":"x"}`, header: map[string]string{
			"Content-Type": "application/json", "Cookie": cookie, "Origin": "https://evil.example",
		}})
	got.problem(t, 403, "forbidden")
	got = g.fromPage(t, "/v1/keys", `{"name":"exemplu"}`, cookie)
	if got.StatusCode != http.StatusCreated {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}

	var key struct{ Key string }
	testkit.NoError(t, json.Unmarshal(got.body, &key))

	withKey := request{header: map[string]string{"Authorization": "Bearer " + key.Key}}
	g.reload(t)
	for name, r := range map[string]request{"session": withCookie, "key": withKey} {
		if got := g.do(t, "GET", "/v1/usage", r); got.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d %s", name, got.StatusCode, got.body)
		}
	}

	if got := g.fromPage(t, "/api/auth/delete-user", `{"password":"o parolă lungă"}`,
		cookie); got.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}

	for _, r := range []request{withCookie, withKey} {
		g.do(t, "GET", "/v1/usage", r).problem(t, 401, "unauthorized")
	}

	g.fromPage(t, "/api/auth/sign-in/email", signInAna, "").problem(t, 401, "unauthorized")
}

// signUpByMail creates a user who verifies their address, and returns the cookie of their session.
func (g *gateway) signUpByMail(t *testing.T, server *mailserver.Server, name, email string) (cookie string) {
	t.Helper()
	const password = "o parolă lungă"
	g.fromPage(t, "/api/auth/sign-up/email", `{"name":"`+name+`","email":"`+email+`","password":"`+password+`"}`, "")
	_, link, _ := strings.Cut(server.Next(t).Read(t).Text, g.url)
	link, _, _ = strings.Cut(link, "\n")
	g.fromPage(t, "/api/auth/confirm/email", `{"token":"`+tokenOf(t, link)+`"}`, "")
	got := g.fromPage(t, "/api/auth/sign-in/email", `{"email":"`+email+`","password":"`+password+`"}`, "")
	if got.StatusCode != http.StatusOK || got.cookie() == "" {
		t.Fatalf("got %d %v %s", got.StatusCode, got.Header, got.body)
	}

	return got.cookie()
}

// tokenOf returns the token in a link.
func tokenOf(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || u.Query().Get("token") == "" {
		t.Fatalf("no token in %q: %v", link, err)
	}

	return u.Query().Get("token")
}
