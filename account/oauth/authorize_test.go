package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

func TestConsentGranted(t *testing.T) {
	forStores(t, func(t *testing.T, s *site) {
		s.member("ana@exemplu.example")
		q := s.asking(s.registered(callback))
		b := s.browser()
		page := b.send("GET", Path+"/authorize?"+q.Encode(), "", "Accept-Language", "ro")
		if page.StatusCode != http.StatusOK || !strings.Contains(page.text, "Conectare") ||
			!strings.Contains(page.text, "github") {
			t.Fatalf("no page to sign in: %d %s", page.StatusCode, page.text)
		}
		testkit.Contains(t, strings.ToLower(page.text),
			strings.ToLower("?return="+url.QueryEscape(Path+"/authorize?"+q.Encode())),
			"the site's sign-up page would not lead back: %s", page.text)

		form := page.fields()
		form.Set("email", "ana@exemplu.example")
		form.Set("password", "a wrong password")
		if wrong := b.post(Path+"/sign-in", form); wrong.StatusCode != http.StatusForbidden ||
			!strings.Contains(wrong.text, "password is wrong") {
			t.Errorf("a wrong password: %d %s", wrong.StatusCode, wrong.text)
		}

		form.Set("password", password)
		next := b.post(Path+"/sign-in", form)
		page = b.send("GET", next.Header.Get("Location"), "")
		if page.StatusCode != http.StatusOK {
			t.Fatalf("got %d %v %s", page.StatusCode, next.Header, page.text)
		}

		for _, part := range []string{"Exemplu &lt;b&gt;", "app.example", "ana@exemplu.example", "credits"} {
			testkit.Contains(t, page.text, part, "the page")
		}

		if strings.Contains(page.text, "<script") || strings.Contains(page.text, "<b>") {
			t.Errorf("the page repeats text that the program sent: %s", page.text)
		}

		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; " +
				"frame-ancestors 'none'; form-action 'self' https://app.example",
			"X-Frame-Options": "DENY", "Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8",
		} {
			testkit.Equal(t, page.Header.Get(name), want, name)
		}

		form = page.fields()
		form.Set("decision", "allow")
		back := b.post(Path+"/authorize", form)
		if got := back.back(t); got.Get("code") == "" || got.Get("state") != "a state" || got.Get("iss") != s.url ||
			got.Get("way") != "1" || got.Has("error") {
			t.Errorf("the program is told %v", got)
		}
		if !strings.HasPrefix(back.Header.Get("Location"), callback+"&") {
			t.Errorf("the person is redirected to %s", back.Header.Get("Location"))
		}
	})
}

func TestConsentDenied(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b := s.member("ana@exemplu.example")
	form := b.send("GET", Path+"/authorize?"+s.asking(s.registered(callback)).Encode(), "").fields()
	form.Set("decision", "deny")
	if got := b.post(Path+"/authorize", form).back(t); got.Get("error") != "access_denied" ||
		got.Get("state") != "a state" || got.Get("iss") != s.url || got.Has("code") {
		t.Errorf("the program is told %v", got)
	}
}

func TestSigningInByWayOfAProvider(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	q := s.asking(s.registered(callback))
	signIn := func(form url.Values) received {
		form.Set("request", q.Encode())
		return s.browser().post(Path+"/sign-in", form, "X-Test-Address", "192.0.2.1")
	}
	for range 3 { // as many sign-ins with a password as an address may try at once
		r := signIn(url.Values{"provider": {"github"}})
		if to := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther ||
			!strings.HasPrefix(to, "https://github.com/") || len(r.Cookies()) == 0 {
			t.Errorf("got %d %v", r.StatusCode, r.Header)
		}
	}

	r := signIn(url.Values{"email": {"nobody@example.ro"}, "password": {"not the password"}})
	testkit.Contains(t, r.text, "The address or the password is wrong", "a sign-in with a password afterwards: %d",
		r.StatusCode)
}

// Errors of a request are sent to the program's redirect URI, with the issuer.
func TestRequestsThatProgramsMustChange(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b, stranger := s.member("ana@exemplu.example"), s.member("dan@exemplu.example")
	client := s.registered(callback)
	b.allow(s.asking(client))
	for name, c := range map[string]struct {
		change []string
		want   string
	}{
		"without PKCE":      {[]string{"code_challenge", "", "code_challenge_method", ""}, "invalid_request"},
		"PKCE in the clear": {[]string{"code_challenge_method", "plain"}, "invalid_request"},
		"no method":         {[]string{"code_challenge_method", ""}, "invalid_request"},
		"a short challenge": {[]string{"code_challenge", "short"}, "invalid_request"},
		"a wrong resource":  {[]string{"resource", "https://other.example/mcp"}, "invalid_target"},
		"the whole service": {[]string{"resource", s.url}, "invalid_target"},
		"a token at once":   {[]string{"response_type", "token"}, "unsupported_response_type"},
		"no response type":  {[]string{"response_type", ""}, "unsupported_response_type"},
		"another's scope":   {[]string{"scope", "openid email"}, "invalid_scope"},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.send("GET", Path+"/authorize?"+s.asking(client, c.change...).Encode(), "").back(t)
			if got.Get("error") != c.want || got.Get("iss") != s.url || got.Get("state") != "a state" {
				t.Errorf("got %v", got)
			}
			// Registration is open to everyone, so without a person's consent a program must not make the service
			// redirect to its address.
			page := stranger.send("GET", Path+"/authorize?"+s.asking(client, c.change...).Encode(), "")
			if page.StatusCode != http.StatusBadRequest || page.Header.Get("Location") != "" ||
				!strings.Contains(page.text, "<h1>This does not work</h1>") {
				t.Errorf("a person who has granted the program nothing gets %d %v", page.StatusCode, page.Header)
			}
		})
	}

	for name, change := range map[string][]string{
		"no resource": {"resource", ""}, "a slash": {"resource", s.Resource + "/"}, "no scope": {"scope", ""},
		"one scope of several": {"scope", "openid " + string(account.WatchScope)}, "no state": {"state", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := b.allow(s.asking(client, change...)); got.Get("code") == "" {
				t.Errorf("got %v", got)
			}
		})
	}
}

// Without a known client and redirect URI, there is no redirect.
func TestRequestsThatLeadNowhere(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b := s.member("ana@exemplu.example")
	client := s.registered(callback, "http://127.0.0.1:4711/back")
	good := s.asking(client)
	for name, query := range map[string]string{
		"an unknown program":    s.asking("unknown").Encode(),
		"no program":            s.asking("").Encode(),
		"no address":            s.asking(client, "redirect_uri", "").Encode(),
		"another address":       s.asking(client, "redirect_uri", "https://evil.example/callback?way=1").Encode(),
		"a longer address":      s.asking(client, "redirect_uri", callback+"&more=1").Encode(),
		"another loopback path": s.asking(client, "redirect_uri", "http://127.0.0.1:4711/other").Encode(),
		"a loopback host in front": s.asking(client, "redirect_uri",
			"http://127.0.0.1:4711@evil.example/back").Encode(),
		"an address twice": good.Encode() + "&redirect_uri=https%3A%2F%2Fevil.example",
		"broken":           "%zz",
	} {
		t.Run(name, func(t *testing.T) {
			r := b.send("GET", Path+"/authorize?"+query, "")
			if r.StatusCode/100 != 4 || r.Header.Get("Location") != "" ||
				!strings.Contains(r.text, "<h1>This does not work</h1>") {
				t.Errorf("got %d %v", r.StatusCode, r.Header)
			}
		})
	}

	if got := b.allow(s.asking(client, "redirect_uri", "http://127.0.0.1:9/back")); got.Get("code") == "" {
		t.Error("a loopback address with another port is refused")
	}
}

// A decision counts only if the person made it on our page, in their own browser.
func TestForgedDecisions(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b, other := s.member("ana@exemplu.example"), s.member("dan@exemplu.example")
	client := s.registered(callback)
	form := b.send("GET", Path+"/authorize?"+s.asking(client).Encode(), "").fields()
	form.Set("decision", "allow")
	changed := func(name, value string) url.Values {
		f := url.Values{}
		for k, v := range form {
			f[k] = v
		}

		f.Set(name, value)
		return f
	}
	name, request := form.Get("name"), form.Get("request")
	session := testkit.Must(s.People.Session(t.Context(), s.url, b.cookie()))

	for what, send := range map[string]func() received{
		"from another page": func() received {
			return b.post(Path+"/authorize", form, "Origin",
				"https://evil.example")
		},
		"from a hidden page": func() received { return b.post(Path+"/authorize", form, "Origin", "null") },
		"by another person":  func() received { return other.post(Path+"/authorize", form) },
		"without a seal":     func() received { return b.post(Path+"/authorize", changed("seal", "")) },
		"for another address": func() received {
			return b.post(Path+"/authorize", changed("request",
				s.asking(client, "redirect_uri", "https://evil.example/").Encode()))
		},
		"under another name": func() received { return b.post(Path+"/authorize", changed("name", "Bank")) },
		"with a longer life": func() received {
			return b.post(Path+"/authorize",
				changed("seal", "9"+form.Get("seal")))
		},
		"too late": func() received {
			return b.post(Path+"/authorize", changed("seal", s.seal(session.ID, name, request, time.Now())))
		},
	} {
		if r := send(); r.StatusCode != http.StatusForbidden || r.Header.Get("Location") != "" {
			t.Errorf("%s: %d %v", what, r.StatusCode, r.Header)
		}
	}

	if r := s.browser().post(Path+"/authorize", form); r.StatusCode != http.StatusOK ||
		!strings.Contains(r.text, "Sign in") {
		t.Errorf("without a session: %d %s", r.StatusCode, r.text)
	}
	testkit.Equal(t, len(testkit.Must(s.db.Grants(t.Context(), session.Account))), 0, "grants")
}

// cookie returns the cookie that the browser sends.
func (b *browser) cookie() string {
	u, _ := url.Parse(b.url)
	var all []string
	for _, c := range b.Jar.Cookies(u) {
		all = append(all, c.String())
	}

	return strings.Join(all, "; ")
}

// The consent page tells what each scope permits, and the tokens of the grant permit just that, also after a renewal.
func TestScopes(t *testing.T) {
	const read, watch, none = "look up companies", "add companies to your watch-lists", "will not see or change"
	forStores(t, func(t *testing.T, s *site) {
		b := s.member("ana@exemplu.example")
		client := s.registered(callback)
		for asked, c := range map[string]struct {
			granted    account.Scope
			says, lies []string
		}{
			"":                          {account.ReadScope, []string{read, none}, []string{watch}},
			"rodata:read":               {account.ReadScope, []string{read, none}, []string{watch}},
			"rodata:watch":              {account.WatchScope, []string{watch}, []string{read, none}},
			"openid rodata:read":        {account.ReadScope, []string{read, none}, []string{watch}},
			"rodata:watch  rodata:read": {account.AllScopes, []string{read, watch}, []string{none}},
		} {
			q := s.asking(client, "scope", asked)
			page := b.send("GET", Path+"/authorize?"+q.Encode(), "").text
			for _, part := range c.says {
				testkit.Contains(t, page, part, "the page about %q", asked)
			}
			for _, part := range c.lies {
				if strings.Contains(page, part) {
					t.Errorf("%q: %q is on the page %s", asked, part, page)
				}
			}

			r := s.exchange("grant_type", "authorization_code", "client_id", client, "code", b.allow(q).Get("code"),
				"code_verifier", verifier)
			for range 2 {
				p := s.tokensOf(pair{client: client}, r)
				key, err := s.Tokens.Key(t.Context(), p.access)
				if err != nil || key.Scope != c.granted || r.json["scope"] != string(c.granted) {
					t.Errorf("%q: %+v %v %s", asked, key, err, r.text)
				}
				r = s.refresh(p)
			}
		}

		page := b.send("GET", Path+"/authorize?"+s.asking(client).Encode(), "", "Accept-Language", "ro").text
		testkit.Contains(t, page, "să adauge firme în listele de urmărire, ceea ce costă 1 credit", "in Romanian")
	})
}

// A renewal cannot add a scope.
func TestScopeBeyondTheGrant(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b := s.member("ana@exemplu.example")
	p := pair{client: s.registered(callback)}
	p = s.tokensOf(p, s.exchange("grant_type", "authorization_code", "client_id", p.client, "code_verifier", verifier,
		"code", b.allow(s.asking(p.client, "scope", "rodata:read")).Get("code")))
	form := []string{"grant_type", "refresh_token", "client_id", p.client, "refresh_token", p.refresh, "scope"}
	s.exchange(append(form, "rodata:watch")...).want(t, 400, "invalid_scope")
	testkit.Equal(t, s.exchange(append(form, "rodata:watch rodata:read")...).json["scope"], "rodata:read")
}
