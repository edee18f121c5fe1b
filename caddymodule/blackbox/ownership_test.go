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
	"github.com/rodata/rodata/testkit/mailserver"
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

// Somebody signs up with another person's address and sets the account up. Once the owner of the address resets the
// password, nothing of that is left: no webhook, list, job or feed address.
func TestProofOfOwnershipRemovesWhatWasSetUpBefore(t *testing.T) {
	server := mailserver.Start(t, mailserver.Options{})
	g := start(t, mailTo(server.Address()), func(g *gateway) {
		g.app()["auth"].(object)["require_verification"] = "off"
		g.sell(100)
	})
	const email = "ana@exemplu.example"
	squatter := g.signUp(t, email, "parola altcuiva")
	server.Next(t)
	var feeds struct{ Feeds struct{ Atom string } }
	g.withCookie(t, squatter, "PUT", "/v1/watchlists/default/companies/9900000010", "", nil)
	g.withCookie(t, squatter, "PATCH", "/v1/watchlists/default", `{"rotateFeeds":true}`, &feeds)
	g.withCookie(t, squatter, "POST", "/v1/webhooks", `{"url":"https://receiver.example/hook"}`, nil)
	if got := g.do(t, "POST", "/v1/jobs", request{body: "cui\n9900000010\n", header: map[string]string{
		"Content-Type": "text/csv", "Origin": g.url, "Cookie": squatter, "Prefer": "wait=30"}}); got.StatusCode >= 300 {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}
	if got := g.get(t, feeds.Feeds.Atom); got.StatusCode != http.StatusOK {
		t.Fatalf("the feed is answered %d", got.StatusCode)
	}

	g.fromPage(t, "/api/auth/request-password-reset", `{"email":"`+email+`"}`, "")
	_, link, _ := strings.Cut(server.Next(t).Read(t).Text, g.url)
	link, _, _ = strings.Cut(link, "\n")
	got := g.fromPage(t, "/api/auth/reset-password",
		`{"token":"`+tokenOf(t, link)+`","newPassword":"o parolă lungă"}`, "")
	if got.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}

	owner := g.fromPage(t, "/api/auth/sign-in/email", `{"email":"`+email+`","password":"o parolă lungă"}`, "").cookie()
	testkit.Until(t, "what somebody else set up is gone", func() bool {
		for _, path := range []string{"/v1/watchlists", "/v1/webhooks", "/v1/jobs", "/v1/events"} {
			var items json.RawMessage
			if g.withCookie(t, owner, "GET", path, "", &items); strings.Contains(string(items), `"id":`) {
				return false
			}
		}

		return true
	})
	g.get(t, feeds.Feeds.Atom).problem(t, http.StatusNotFound, "not-found")

	// What the owner sets up stays, also when the account changes again.
	var list, hook identified
	g.withCookie(t, owner, "POST", "/v1/watchlists", `{"name":"Furnizori"}`, &list)
	g.withCookie(t, owner, "POST", "/v1/webhooks", `{"url":"https://receiver.example/hook"}`, &hook)
	var made identified
	g.withCookie(t, owner, "POST", "/v1/keys", `{"name":"ERP"}`, &made)
	g.withCookie(t, owner, "DELETE", "/v1/keys/"+made.ID, "", nil)
	g.withCookie(t, owner, "GET", "/v1/watchlists/"+list.ID, "", nil)
	g.withCookie(t, owner, "GET", "/v1/webhooks/"+hook.ID, "", nil)
}

// A revoked key takes its webhooks with it, and only those.
func TestRevokedKeyDisablesItsWebhooks(t *testing.T) {
	g := start(t, func(g *gateway) { g.sell(100) })
	cookie := g.signUp(t, "ana@exemplu.example", "o parolă lungă")
	var stolen, other struct{ ID, Key string }
	g.withCookie(t, cookie, "POST", "/v1/keys", `{"name":"stolen"}`, &stolen)
	g.withCookie(t, cookie, "POST", "/v1/keys", `{"name":"other"}`, &other)
	create := func(key string) (hook identified) {
		got := g.do(t, "POST", "/v1/webhooks", bearer(key, `{"url":"https://receiver.example/hook"}`))
		if err := json.Unmarshal(got.body, &hook); err != nil || got.StatusCode != http.StatusCreated {
			t.Fatalf("got %d %s", got.StatusCode, got.body)
		}
		return hook
	}
	thiefs, own, moved := create(stolen.Key), create(other.Key), create(other.Key)
	g.do(t, "PATCH", "/v1/webhooks/"+moved.ID, bearer(stolen.Key, `{"url":"https://evil.example/hook"}`)).object(t)
	state := func(hook identified) (state struct{ State, Reason, KeyID string }) {
		g.withCookie(t, cookie, "GET", "/v1/webhooks/"+hook.ID, "", &state)
		return state
	}
	if got := state(moved); got.KeyID != stolen.ID || got.State != "active" {
		t.Errorf("before the revocation: %+v", got)
	}

	g.withCookie(t, cookie, "DELETE", "/v1/keys/"+stolen.ID, "", nil)
	for _, hook := range []identified{thiefs, moved} {
		testkit.Until(t, "the webhook of a revoked key is disabled", func() bool {
			got := state(hook)
			return got.State == "disabled" && got.Reason == "key_revoked"
		})
	}
	if got := state(own); got.State != "active" || got.KeyID != other.ID {
		t.Errorf("the webhook of another key: %+v", got)
	}

	// The owner of the account takes over one of the webhooks, which then survives the revocation of the key.
	g.withCookie(t, cookie, "PATCH", "/v1/webhooks/"+moved.ID, `{"state":"active"}`, nil)
	g.withCookie(t, cookie, "DELETE", "/v1/keys/"+other.ID, "", nil)
	testkit.Until(t, "the webhook of the second key is disabled", func() bool { return state(own).State == "disabled" })
	if got := state(moved); got.State != "active" || got.KeyID != "" {
		t.Errorf("the webhook that was taken over: %+v", got)
	}
}

// A revoked key takes the addresses of feeds with it that were shown to it, and only those.
func TestRevokedKeyEndsItsFeeds(t *testing.T) {
	g := start(t, func(g *gateway) { g.sell(100) })
	cookie := g.signUp(t, "ana@exemplu.example", "o parolă lungă")
	var stolen struct{ ID, Key string }
	g.withCookie(t, cookie, "POST", "/v1/keys", `{"name":"stolen"}`, &stolen)
	type list struct {
		ID    string
		Feeds struct{ JSON string }
	}
	var own, taken, thiefs, again list
	g.withCookie(t, cookie, "POST", "/v1/watchlists", `{"name":"Clienți"}`, &own)
	g.withCookie(t, cookie, "POST", "/v1/watchlists", `{"name":"Furnizori"}`, &taken)
	for _, c := range []struct {
		method, path, body string
		into               *list
	}{
		{"POST", "/v1/watchlists", `{"name":"Altele"}`, &thiefs},
		{"PATCH", "/v1/watchlists/" + taken.ID, `{"rotateFeeds":true}`, &taken},
	} {
		got := g.do(t, c.method, c.path, bearer(stolen.Key, c.body))
		if err := json.Unmarshal(got.body, c.into); err != nil || got.StatusCode >= 300 {
			t.Fatalf("got %d %s", got.StatusCode, got.body)
		}
	}

	g.withCookie(t, cookie, "DELETE", "/v1/keys/"+stolen.ID, "", nil)
	for _, l := range []list{thiefs, taken} {
		testkit.Until(t, "the feed that was shown to a revoked key is gone", func() bool {
			return g.get(t, l.Feeds.JSON).StatusCode == http.StatusNotFound
		})
	}
	if got := g.get(t, own.Feeds.JSON); got.StatusCode != http.StatusOK {
		t.Errorf("the feed of the owner: %d", got.StatusCode)
	}

	// Its owner opens it again.
	g.withCookie(t, cookie, "PATCH", "/v1/watchlists/"+taken.ID, `{"rotateFeeds":true}`, &again)
	if got := g.get(t, again.Feeds.JSON); got.StatusCode != http.StatusOK {
		t.Errorf("the feed with a new address: %d", got.StatusCode)
	}
}

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
