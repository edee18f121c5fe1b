package oauth

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

func TestRegistrations(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	for name, c := range map[string]struct{ body, want string }{
		"no JSON":              {`{`, "invalid_client_metadata"},
		"no addresses":         {`{}`, "invalid_redirect_uri"},
		"empty addresses":      {`{"redirect_uris":[]}`, "invalid_redirect_uri"},
		"no scheme":            {`{"redirect_uris":["//evil.example/cb"]}`, "invalid_redirect_uri"},
		"a scheme alone":       {`{"redirect_uris":["com.example.app:"]}`, "invalid_redirect_uri"},
		"no path":              {`{"redirect_uris":["com.example.app:oauth2redirect"]}`, "invalid_redirect_uri"},
		"no host":              {`{"redirect_uris":["https:/callback"]}`, "invalid_redirect_uri"},
		"a port alone":         {`{"redirect_uris":["https://:443/callback"]}`, "invalid_redirect_uri"},
		"a script at no host":  {`{"redirect_uris":["javascript:/alert(1)"]}`, "invalid_redirect_uri"},
		"a path":               {`{"redirect_uris":["/callback"]}`, "invalid_redirect_uri"},
		"in the clear":         {`{"redirect_uris":["http://app.example/callback"]}`, "invalid_redirect_uri"},
		"a fragment":           {`{"redirect_uris":["https://app.example/#x"]}`, "invalid_redirect_uri"},
		"a user":               {`{"redirect_uris":["https://app.example@evil.example/"]}`, "invalid_redirect_uri"},
		"a script":             {`{"redirect_uris":["javascript://app.example/%0aalert(1)"]}`, "invalid_redirect_uri"},
		"a scheme in capitals": {`{"redirect_uris":["JavaScript://app.example/%0aalert(1)"]}`, "invalid_redirect_uri"},
		"a document":           {`{"redirect_uris":["data:text/html,x"]}`, "invalid_redirect_uri"},
		"a new line":           {`{"redirect_uris":["https://app.example/\nx"]}`, "invalid_redirect_uri"},
		"one of them": {`{"redirect_uris":["https://app.example/","http://app.example/"]}`,
			"invalid_redirect_uri"},
		"too long": {`{"redirect_uris":["https://app.example/` + strings.Repeat("a",
			maxRedirectLen) + `"]}`, "invalid_redirect_uri"},
		"2 KB together": {`{"redirect_uris":["https://app.example/` + strings.Repeat(strings.Repeat("a",
			700)+`","https://app.example/`, 3) + `"]}`, "invalid_redirect_uri"},
		"no code": {`{"redirect_uris":["https://app.example/"],"grant_types":["client_credentials"]}`,
			"invalid_client_metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			s.browser().send("POST", Path+"/register", c.body, "Content-Type", "application/json").want(t, 400, c.want)
		})
	}

	s.browser().send("POST", Path+"/register", "redirect_uris=https://app.example/", "Content-Type",
		"application/x-www-form-urlencoded").want(t, 400, "invalid_client_metadata")

	redirects := []string{"https://claude.ai/api/mcp/auth_callback", "cursor://anysphere.cursor-mcp/oauth/callback",
		"com.example.app:/oauth2redirect",
		"http://localhost/callback", "http://[::1]:1/callback"}
	body, _ := json.Marshal(map[string]any{"client_name": "An\u202eapp\n\t ", "redirect_uris": redirects,
		"token_endpoint_auth_method": "client_secret_post"})
	r := s.browser().send("POST", Path+"/register", string(body), "Content-Type", "application/json")
	if r.StatusCode != http.StatusCreated || r.json["client_name"] != "Anapp" ||
		r.json["token_endpoint_auth_method"] != "none" || r.json["client_secret"] != nil ||
		len(r.json["redirect_uris"].([]any)) != len(redirects) || r.Header.Get("Cache-Control") != "no-store" ||
		r.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("got %d %s %v", r.StatusCode, r.text, r.Header)
	}
}

// The scheme of an application needs no host (RFC 8252, section 7.1). The consent page names it, and leads there.
func TestPrivateUseScheme(t *testing.T) {
	const back = "com.example.app:/oauth2redirect"
	s := newSite(t, accountstore.Open(t), nil)
	b := s.member("ana@exemplu.example")
	page := b.send("GET", Path+"/authorize?"+s.asking(s.registered(back), "redirect_uri", back).Encode(), "")
	if policy := page.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, " com.example.app:") ||
		!strings.Contains(page.text, "<strong>com.example.app:</strong>") {
		t.Errorf("%s %s", policy, page.text)
	}

	form := page.fields()
	form.Set("decision", "allow")
	if got := b.post(Path+"/authorize", form).Header.Get("Location"); !strings.HasPrefix(got, back+"?code=") {
		t.Errorf("the person is sent to %s", got)
	}
}

// Registrations are not stored, so a flood cannot displace them or load the store, and they work even while it is down.
func TestRegistrationsAreNotStored(t *testing.T) {
	forStores(t, func(t *testing.T, s *site) {
		pending := s.registered(callback)
		b := s.member("ana@exemplu.example")
		for range 100 {
			if other := s.registered(callback); other == pending {
				t.Fatal("two registrations have one client_id")
			}
		}

		if got := b.allow(s.asking(pending)); got.Get("code") == "" {
			t.Errorf("the first program is told %v", got)
		}

		largest := []string{"https://app.example/" + strings.Repeat("a", 900),
			"https://app.example/" + strings.Repeat("b", 900)}
		if got := b.allow(s.asking(s.registered(largest...), "redirect_uri", largest[1])); got.Get("code") == "" {
			t.Errorf("a large registration is told %v", got)
		}
		testkit.NoError(t, s.db.Close())

		s.registered(callback)
	})
}

// A client_id contains the registration, and cannot be forged or changed.
func TestForgedRegistrations(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b := s.member("ana@exemplu.example")
	id := s.registered(callback)
	other := newClientIDs([]byte("another secret"))
	for name, forged := range map[string]string{
		"of another secret": other.issue(account.App{Name: "Bank", Redirects: []string{callback}}, time.Now()),
		"without prefix":    strings.TrimPrefix(id, clientIDPrefix),
		"changed":           id[:len(id)-4] + "AAAA",
		"cut off":           id[:40],
		"no base64":         clientIDPrefix + "%",
		"empty":             clientIDPrefix,
	} {
		t.Run(name, func(t *testing.T) {
			if r := b.send("GET", Path+"/authorize?"+s.asking(forged).Encode(),
				""); r.StatusCode != http.StatusUnauthorized || r.Header.Get("Location") != "" {
				t.Errorf("got %d %v", r.StatusCode, r.Header)
			}
		})
	}
}

func TestClientRegistrationIsLimitedByAddress(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	for i := range registrationRate.Burst + 5 {
		r := s.browser().send("POST", Path+"/register", `{"redirect_uris":["https://app.example/"]}`, "Content-Type",
			"application/json", "X-Test-Address", "192.0.2.1")
		if r.StatusCode == http.StatusTooManyRequests {
			if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 ||
				i < registrationRate.Burst {
				t.Errorf("after %d: %v", i, r.Header)
			}
			return
		}
	}

	t.Error("the client is never told to wait")
}
