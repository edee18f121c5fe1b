package blackbox

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit/mailserver"
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
