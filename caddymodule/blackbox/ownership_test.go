package blackbox

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
)

// withCookie sends a request from a page of the service, and returns the decoded answer.
func (g *gateway) withCookie(t *testing.T, cookie, method, path, body string, answer any) {
	t.Helper()
	got := g.do(t, method, path, request{body: body, header: map[string]string{"Content-Type": "application/json",
		"Origin": g.url, "Cookie": cookie, "Prefer": "wait=30"}})
	if got.StatusCode >= 300 {
		t.Fatalf("%s %s: got %d %s", method, path, got.StatusCode, got.body)
	}
	if answer != nil {
		testkit.NoError(t, json.Unmarshal(got.body, answer))
	}
}

// identified is an answer with an id.
type identified struct{ ID string }

// follow opens a stream, and returns a channel that receives the time of its end.
func (g *gateway) follow(t *testing.T, method, path, body string, header map[string]string) <-chan time.Time {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(body))
	testkit.NoError(t, err)

	for name, value := range header {
		r.Header.Set(name, value)
	}

	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)

	t.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewReader(res.Body)
	if first, err := lines.ReadString('\n'); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s begins with %d %q, %v", method, path, res.StatusCode, first, err)
	}

	ended := make(chan time.Time, 1)
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		ended <- time.Now()
	}()
	return ended
}

// Streams end within two seconds of the revocation of the key, session or grant that opened them, and of the deletion
// of the account. Those of other keys continue.
func TestStreamsEndWithTheirKeysLong(t *testing.T) {
	g := start(t, withOAuth, func(g *gateway) { g.sell(100) })
	cookie := g.signUp(t, "ana@exemplu.example", "o parolă lungă")
	g.withCookie(t, cookie, "PUT", "/v1/watchlists/default/companies/9900000010", "", nil)
	var first, second struct{ ID, Key string }
	g.withCookie(t, cookie, "POST", "/v1/keys", `{"name":"first"}`, &first)
	g.withCookie(t, cookie, "POST", "/v1/keys", `{"name":"second"}`, &second)
	session := g.fromPage(t, "/api/auth/sign-in/email", `{"email":"ana@exemplu.example","password":"o parolă lungă"}`,
		"").cookie()

	type streams = map[string]<-chan time.Time
	events := func(name, secret string) streams {
		open := streams{}
		for _, media := range []string{op.SSEType, op.NDJSONType} {
			open[media] = g.follow(t, "GET", "/v1/events", "",
				map[string]string{name: secret, "Accept": media})
		}
		return open
	}
	listening := func(secret string) <-chan time.Time {
		r := modernRequest(&wallet{key: secret}, "subscriptions/listen", "",
			`"notifications":{"resourceSubscriptions":["watchlist://default"]}`)
		return g.follow(t, "POST", "/mcp", r.body, r.header)
	}
	withMCP := func(key string) streams {
		open := events("X-Api-Key", key)
		open["listening"] = listening(key)
		return open
	}
	expectEnd := func(what string, open streams, since time.Time) {
		t.Helper()
		for name, ended := range open {
			select {
			case at := <-ended:
				if took := at.Sub(since); took < 0 || took > within(t, 2*time.Second) {
					t.Errorf("%s: the stream of %s ended after %s", what, name, took)
				}
			case <-time.After(20 * time.Second):
				t.Errorf("%s: the stream of %s is still open", what, name)
			}
		}
	}

	byFirst, bySecond, bySession := withMCP(first.Key), withMCP(second.Key), events("Cookie", session)
	byGrant := streams{"listening": listening(g.token(t, cookie, "rodata:read", "rodata:watch"))}
	since := time.Now()
	g.withCookie(t, cookie, "DELETE", "/v1/keys/"+first.ID, "", nil)
	expectEnd("a revoked key", byFirst, since)

	since = time.Now()
	g.withCookie(t, session, "POST", "/api/auth/sign-out", "{}", nil)
	expectEnd("an ended session", bySession, since)

	var grants struct{ Items []identified }
	g.withCookie(t, cookie, "GET", "/api/auth/oauth2/grants", "", &grants)
	since = time.Now()
	g.withCookie(t, cookie, "DELETE", "/api/auth/oauth2/grants/"+grants.Items[0].ID, "", nil)
	expectEnd("a revoked grant", byGrant, since)

	// The times at which the remaining ones end show that they were open until then.
	since = time.Now()
	g.withCookie(t, cookie, "POST", "/api/auth/delete-user", `{"password":"o parolă lungă"}`, nil)
	expectEnd("a deleted account", bySecond, since)
}
