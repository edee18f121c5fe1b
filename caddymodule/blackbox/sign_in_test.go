package blackbox

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/rodata/rodata/account/mail/mailtest"
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
func TestSignIn(t *testing.T) {
	g := start(t)
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
	if err := json.Unmarshal(got.body, &key); err != nil {
		t.Fatal(err)
	}

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

// With a mail server, an address must be verified.
func TestSignInByMail(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{})
	g := start(t, mailTo(server.Address()))
	if got := g.fromPage(t, "/api/auth/sign-up/email", signUpAna, ""); got.StatusCode != http.StatusOK ||
		got.cookie() != "" {
		t.Fatalf("got %d %v %s", got.StatusCode, got.Header, got.body)
	}

	mail := server.Next(t).Read(t)
	_, link, _ := strings.Cut(mail.Text, g.url)
	link, _, _ = strings.Cut(link, "\n")
	if !strings.Contains(mail.Text, "Bună ziua") || !strings.HasPrefix(link, "/api/auth/confirm/email?") {
		t.Fatalf("the mail says:\n%s", mail.Text)
	}

	page := g.get(t, strings.TrimSpace(link))
	if page.StatusCode != http.StatusOK ||
		!strings.Contains(string(page.body), `<form method="post" action="/api/auth/confirm/email">`) {
		t.Fatalf("the page is %d %s", page.StatusCode, page.body)
	}
	// Opening the link does not verify the address.
	g.fromPage(t, "/api/auth/sign-in/email", signInAna, "").problem(t, 403, "forbidden")
	// The answer redirects to the front page, the target of the link.
	if got := g.fromPage(t, "/api/auth/confirm/email", `{"token":"`+tokenOf(t, link)+`"}`,
		""); got.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}
	if got := g.fromPage(t, "/api/auth/sign-in/email", signInAna, ""); got.StatusCode != http.StatusOK {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
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

// Errors are answered as elsewhere, and unknown paths are not passed on.
func TestSignInProblems(t *testing.T) {
	g := start(t)
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		slug               string
	}{
		"unknown path": {"GET", "/api/auth/x", "", 404, "not-found"},
		"no path":      {"GET", "/api/auth", "", 404, "not-found"},
		"another mode": {"GET", "/api/auth/sign-in/email", "", 404, "not-found"},
		"broken":       {"POST", "/api/auth/sign-in/email", "{", 400, "invalid-request"},
		"no session":   {"GET", "/api/auth/list-sessions", "", 401, "unauthorized"},
		"large":        {"POST", "/api/auth/sign-out", strings.Repeat(" ", 64<<10+1), 413, "payload-too-large"},
		"foreign place": {"POST", "/api/auth/request-password-reset",
			`{"email":"ana@exemplu.example","redirectTo":"//evil.example"}`, 403, "forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			got := g.do(t, c.method, c.path,
				request{body: c.body, header: map[string]string{"Content-Type": "application/json"}})
			got.problem(t, c.status, c.slug)
			var more struct{ Code, Message string }
			if err := json.Unmarshal(got.body, &more); err != nil || more.Code == "" || more.Message == "" {
				t.Errorf("got %s, %v", got.body, err)
			}
		})
	}

	for range 2 { // after the broken one
		g.fromPage(t, "/api/auth/sign-in/email", signInAna, "").problem(t, 401, "unauthorized")
	}

	got := g.do(t, "POST", "/api/auth/sign-in/email",
		request{body: signInAna, header: map[string]string{"Content-Type": "application/json"}})
	got.problem(t, 429, "rate-limited")
	if got.Header.Get("X-Retry-After") == "" || got.Header.Get("Retry-After") == "" {
		t.Errorf("got %v", got.Header)
	}
}
