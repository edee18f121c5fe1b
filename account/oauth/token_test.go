package oauth

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

func TestTokens(t *testing.T) {
	forStores(t, func(t *testing.T, s *site) {
		b := s.member("ana@exemplu.example")
		p := b.granted()
		key, err := s.Tokens.Key(t.Context(), p.access)
		if err != nil || key.Account == "" || key.Plan != "free" || key.Name != "Exemplu <b>" {
			t.Errorf("the token stands for %+v %v", key, err)
		}
		if left := time.Until(key.ExpiresAt); left > time.Hour || left < 59*time.Minute {
			t.Errorf("the token is accepted for %v", left)
		}

		for _, token := range []string{p.code, p.refresh, "", "rodata_access_", account.NewSecret(accessPrefix)} {
			testkit.Equal(t, testkit.Err(s.Tokens.Key(t.Context(), token)), account.ErrUnknownKey, "%.15s", token)
		}

		next := s.tokensOf(p, s.refresh(p))
		if next.access == p.access || next.refresh == p.refresh || !s.accepted(next.access) {
			t.Error("the tokens are not new")
		}
		testkit.Equal(t, testkit.Must(s.Tokens.Key(t.Context(), next.access)).ID, key.ID, "the grant of the new token")
	})
}

func TestReusedCodeRevokesItsGrant(t *testing.T) {
	forStores(t, func(t *testing.T, s *site) {
		p := s.member("ana@exemplu.example").granted()
		if !s.accepted(p.access) {
			t.Fatal("the token is refused")
		}

		s.exchange("grant_type", "authorization_code", "client_id", p.client, "code", p.code, "redirect_uri", callback,
			"code_verifier", verifier).
			want(t, 400, "invalid_grant")
		if s.accepted(p.access) {
			t.Error("the token is still accepted")
		}

		s.refresh(p).want(t, 400, "invalid_grant")
	})
}

// later moves the first uses of tokens into the past.
func (s *site) later(by time.Duration) {
	s.t.Helper()
	testkit.NoError(s.t,
		database.Exec(context.Background(), s.db.Writer, `UPDATE oauth_tokens SET used_at = used_at - $1`,
			by.Milliseconds()))
}

// Programs renew from several calls at once, and repeat a renewal whose answer they have lost. Each renewal gives
// tokens of the same grant, also at another server.
func TestParallelRenewals(t *testing.T) {
	forStores(t, func(t *testing.T, s *site) {
		p := s.member("ana@exemplu.example").granted()
		key := testkit.Must(s.Tokens.Key(t.Context(), p.access))
		answers := make(chan received)
		for range 3 {
			go func() { answers <- s.refresh(p) }()
		}
		for range 3 {
			next := s.tokensOf(p, <-answers)
			testkit.Equal(t, testkit.Must(s.Tokens.Key(t.Context(), next.access)).ID, key.ID,
				"the grant of the token")
			s.tokensOf(p, s.refresh(next))
		}

		s.later(account.RenewalLeeway - 10*time.Second)
		s.tokensOf(p, s.refresh(p))
		if !s.accepted(p.access) {
			t.Error("the grant has ended")
		}
	})
}

func TestReusedRefreshTokenRevokesItsFamily(t *testing.T) {
	forStores(t, func(t *testing.T, s *site) {
		p := s.member("ana@exemplu.example").granted()
		next := s.tokensOf(p, s.refresh(p))
		s.later(account.RenewalLeeway)
		s.refresh(p).want(t, 400, "invalid_grant")
		for name, token := range map[string]string{"first": p.access, "second": next.access} {
			if s.accepted(token) {
				t.Errorf("the %s token is still accepted", name)
			}
		}

		s.refresh(next).want(t, 400, "invalid_grant")
	})
}

func TestExchangesThatAreRefused(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b := s.member("ana@exemplu.example")
	client, other := s.registered(callback), s.registered(callback)
	code := b.allow(s.asking(client)).Get("code")
	for name, c := range map[string]struct {
		change []string
		status int
		want   string
	}{
		"without a verifier":   {[]string{"code_verifier", ""}, 400, "invalid_grant"},
		"a wrong verifier":     {[]string{"code_verifier", strings.Repeat("x", 43)}, 400, "invalid_grant"},
		"the challenge itself": {[]string{"code_verifier", challengeOf(verifier)}, 400, "invalid_grant"},
		"another program":      {[]string{"client_id", other}, 400, "invalid_grant"},
		"another address":      {[]string{"redirect_uri", "https://app.example/other"}, 400, "invalid_grant"},
		"another resource":     {[]string{"resource", "https://other.example/mcp"}, 400, "invalid_target"},
		"an unknown code":      {[]string{"code", account.NewSecret(codePrefix)}, 400, "invalid_grant"},
		"no code":              {[]string{"code", ""}, 400, "invalid_grant"},
		"a code to refresh":    {[]string{"grant_type", "refresh_token", "refresh_token", code}, 400, "invalid_grant"},
		"an unknown program":   {[]string{"client_id", "unknown"}, 401, "invalid_client"},
		"no program":           {[]string{"client_id", ""}, 400, "invalid_request"},
		"a password":           {[]string{"grant_type", "password"}, 400, "unsupported_grant_type"},
		"client credentials":   {[]string{"grant_type", "client_credentials"}, 400, "unsupported_grant_type"},
	} {
		t.Run(name, func(t *testing.T) {
			form := map[string]string{"grant_type": "authorization_code", "client_id": client, "code": code,
				"redirect_uri": callback, "code_verifier": verifier}
			for i := 0; i < len(c.change); i += 2 {
				form[c.change[i]] = c.change[i+1]
			}

			var pairs []string
			for name, value := range form {
				pairs = append(pairs, name, value)
			}

			s.exchange(pairs...).want(t, c.status, c.want)
		})
	}

	send := func(body string, header ...string) received {
		return s.browser().send("POST", Path+"/token", body, header...)
	}
	const form = "application/x-www-form-urlencoded"
	send(`{}`, "Content-Type", "application/json").want(t, 400, "invalid_request")
	send("code=a&code=b", "Content-Type", form).want(t, 400, "invalid_request")
	send("a=%zz", "Content-Type", form).want(t, 400, "invalid_request")
	send(strings.Repeat("a", maxBody+1), "Content-Type", form).want(t, 413, "invalid_request")
	withSecret := send("grant_type=authorization_code", "Content-Type", form, "Authorization", "Basic YTpi")
	if withSecret.want(t, 401, "invalid_client"); withSecret.Header.Get("WWW-Authenticate") == "" {
		t.Error("no WWW-Authenticate")
	}
	// The failed attempts have not used up the code.
	s.tokensOf(pair{client: client}, s.exchange("grant_type", "authorization_code", "client_id", client, "code", code,
		"code_verifier", verifier))
}

// Codes and tokens are refused from the second of their expiry, and if they were issued for another resource.
func TestTokensThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		resource string
		lifetime time.Duration
	}{"expired": {lifetime: 0}, "for another resource": {"https://other.example/mcp", time.Minute}} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, accountstore.Open(t), nil)
			b := s.member("ana@exemplu.example")
			session := testkit.Must(s.People.Session(t.Context(), s.url, b.cookie()))
			client := s.registered(callback)
			code, access, refresh := account.NewSecret(codePrefix), account.NewSecret(accessPrefix),
				account.NewSecret(refreshPrefix)
			tokenOf := func(kind account.TokenKind, token string) account.Token {
				return account.Token{Kind: kind, Hash: s.Tokens.Hash(token), ExpiresAt: time.Now().Add(c.lifetime)}
			}
			g := account.Grant{ID: account.NewID(), Account: session.Account, App: client,
				Resource: cmp.Or(c.resource, s.Resource), Scope: account.ReadScope, Redirect: callback,
				Challenge: challengeOf(verifier), CreatedAt: time.Now()}
			testkit.NoError(t, s.db.CreateGrant(t.Context(), g, tokenOf(account.CodeToken, code)))

			s.exchange("grant_type", "authorization_code", "client_id", client, "code", code, "code_verifier",
				verifier).want(t, 400, "invalid_grant")
			testkit.NoError(t, s.db.ExchangeToken(t.Context(), g, tokenOf(account.CodeToken, code),
				tokenOf(account.AccessToken, access), tokenOf(account.RefreshToken, refresh)))
			testkit.Equal(t, s.accepted(access), false, "whether the access token is accepted")
			s.refresh(pair{client: client, refresh: refresh}).want(t, 400, "invalid_grant")
		})
	}
}

// However often a program renews its tokens, its grant ends.
func TestOldGrantsEnd(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	p := s.member("ana@exemplu.example").granted()
	old := func(by time.Duration) {
		t.Helper()
		testkit.NoError(t, database.Exec(t.Context(), s.db.Writer, `UPDATE oauth_grants SET created_at = $1`,
			time.Now().Add(-by).UnixMilli()))
	}
	old(180*24*time.Hour - 10*time.Minute)
	r := s.refresh(p)
	p = s.tokensOf(p, r)
	key, err := s.Tokens.Key(t.Context(), p.access)
	if left := time.Until(key.ExpiresAt); err != nil || left > 10*time.Minute || left < 9*time.Minute ||
		r.json["expires_in"].(float64) > 600 {
		t.Errorf("the token is accepted for %s: %v %s", left, err, r.text)
	}

	old(180 * 24 * time.Hour)
	s.refresh(p).want(t, 400, "invalid_grant")
}

func TestProgramsRevoke(t *testing.T) {
	forStores(t, func(t *testing.T, s *site) {
		b := s.member("ana@exemplu.example")
		revoke := func(client, token string) received {
			return s.browser().post(Path+"/revoke", map[string][]string{"client_id": {client}, "token": {token}})
		}
		for _, which := range []func(pair) string{func(p pair) string { return p.access },
			func(p pair) string { return p.refresh }} {
			p := b.granted()
			if !s.accepted(p.access) {
				t.Fatal("the token is refused")
			}

			revoke(s.registered(callback), which(p)).want(t, 400, "invalid_grant")
			if !s.accepted(p.access) {
				t.Error("another program revoked the token")
			}

			for range 2 { // unknown the second time
				testkit.Equal(t, revoke(p.client, which(p)).StatusCode, http.StatusOK)
			}

			if s.accepted(p.access) {
				t.Error("the token is still accepted")
			}

			s.refresh(p).want(t, 400, "invalid_grant")
		}
	})
}

func TestPeopleRevokeGrants(t *testing.T) {
	forStores(t, func(t *testing.T, s *site) {
		b, other := s.member("ana@exemplu.example"), s.member("dan@exemplu.example")
		p := b.granted()
		if !s.accepted(p.access) {
			t.Fatal("the token is refused")
		}

		list := func(b *browser) []any {
			r := b.send("GET", Path+"/grants", "")
			items, _ := r.json["items"].([]any)
			if r.StatusCode != http.StatusOK || items == nil {
				t.Fatalf("got %d %s", r.StatusCode, r.text)
			}

			return items
		}
		if len(list(other)) != 0 || len(list(b)) != 1 {
			t.Fatalf("listed are %v and %v", list(b), list(other))
		}

		item := list(b)[0].(map[string]any)
		if item["name"] != "Exemplu <b>" || item["host"] != "app.example" || item["createdAt"] == nil ||
			item["scope"] != string(account.AllScopes) || item["lastUsedAt"] != nil || len(item) != 6 {
			t.Errorf("the grant is %v", item)
		}

		id := item["id"].(string)
		remove := func(b *browser, id, origin string) int {
			return b.send("DELETE", Path+"/grants/"+id, "", "Origin", origin).StatusCode
		}
		for name, c := range map[string]struct{ got, want int }{
			"another's":         {remove(other, id, s.url), 404},
			"an unknown one":    {remove(b, "unknown", s.url), 404},
			"from another page": {remove(b, id, "https://evil.example"), 403},
			"from no page":      {remove(b, id, ""), 403},
			"by nobody":         {remove(s.browser(), id, s.url), 401},
		} {
			testkit.Equal(t, c.got, c.want, name)
		}

		if !s.accepted(p.access) {
			t.Fatal("the grant has ended")
		}
		if got := remove(b, id, s.url); got != http.StatusNoContent || s.accepted(p.access) || len(list(b)) != 0 {
			t.Errorf("got %d, and the token is accepted: %t", got, s.accepted(p.access))
		}
	})
}

// A revoked grant is refused by other servers on the same store too.
func TestGrantRevokedElsewhere(t *testing.T) {
	forStores(t, func(t *testing.T, s *site) {
		p := s.member("ana@exemplu.example").granted()
		other := New(s.Options)
		defer other.Close()
		testkit.NoError(t, testkit.Err(other.Tokens.Key(t.Context(), p.access)))

		key, _ := s.Tokens.Key(t.Context(), p.access)
		testkit.NoError(t, s.db.EndGrant(t.Context(), key.Account, key.ID))
		testkit.Equal(t, testkit.Err(other.Tokens.Key(t.Context(), p.access)), account.ErrUnknownKey)
	})
}

// Neither the store nor the log contains a usable token.
func TestNothingUsableIsKept(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b := s.member("ana@exemplu.example")
	p := b.granted()
	s.tokensOf(p, s.refresh(p))
	s.later(account.RenewalLeeway)
	s.refresh(p)
	b.granted()
	path := filepath.Join(t.TempDir(), "copy.db")
	testkit.NoError(t, s.db.Backup(t.Context(), path))

	dump, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(dump, []byte(challengeOf(verifier))) {
		t.Fatalf("copying the store: %v", err)
	}
	if len(s.tokens) < 8 || !strings.Contains(s.log.String(), "used twice") {
		t.Fatalf("%d tokens, and the log %s", len(s.tokens), s.log)
	}

	for _, token := range append(s.tokens, password, verifier) {
		if bytes.Contains(dump, []byte(token)) {
			t.Errorf("the store has %.16s", token)
		}
		if strings.Contains(s.log.String(), token) {
			t.Errorf("the log has %.16s", token)
		}
	}

	if strings.Contains(s.log.String(), "ana@") {
		t.Errorf("the log names a person: %s", s.log)
	}
}
