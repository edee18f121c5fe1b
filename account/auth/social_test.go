package auth

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/provider"
	"github.com/rodata/rodata/testkit"
)

// elsewhere is a stand-in for GitHub and Google with one user, who has a configurable profile.
type elsewhere struct {
	*httptest.Server
	key       *rsa.PrivateKey
	challenge string // the parameters of the last redirect to here
	nonce     string
	claims    map[string]any // of the id token, replacing the defaults
	emails    string         // as GitHub returns them
	used      map[string]bool
}

// providerKey signs the id tokens of all tests: generating a key takes most of the time of a short test.
var providerKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func newElsewhere(t *testing.T) *elsewhere {
	t.Helper()
	key := testkit.Must(providerKey())
	e := &elsewhere{key: key, used: make(map[string]bool),
		emails: `[{"email":"alta@exemplu.example","primary":false,"verified":true},{"email":"Ana@exemplu.example","primary":true,"verified":true}]`}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", e.token)
	mux.HandleFunc("GET /user", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer access" {
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}

		w.Write([]byte(`{"id": 4711, "login": "ana-exemplu", "name": null, "avatar_url": "https://exemplu.example/ana.png"}`))
	})
	mux.HandleFunc("GET /user/emails", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(e.emails)) })
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]string{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1",
			"n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()), "e": "AQAB",
		}}})
	})
	e.Server = httptest.NewServer(mux)
	t.Cleanup(e.Close)
	return e
}

// token exchanges a code once, for a client whose verifier matches the challenge.
func (e *elsewhere) token(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	code := r.FormValue("code")
	if r.FormValue("client_id") != "our id" || r.FormValue("client_secret") != "our secret" ||
		!strings.HasPrefix(code, "good") || e.used[code] ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != e.challenge ||
		!strings.HasPrefix(r.FormValue("redirect_uri"), "https://rodata.example/api/auth/callback/") {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}

	e.used[code] = true
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{"access_token": "access", "token_type": "bearer",
		"id_token": e.idToken()})
}

func (e *elsewhere) idToken() string {
	claims := map[string]any{
		"iss": e.URL, "aud": "our id", "sub": "4711", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(),
		"nonce": e.nonce,
		"email": "Ana@exemplu.example", "email_verified": true, "name": "Ana Exemplu",
		"picture": "https://exemplu.example/ana.png",
	}
	maps.Copy(claims, e.claims)
	part := func(v any) string {
		text, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	signed := part(map[string]string{"alg": "RS256", "kid": "1"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(signed))
	signature, _ := rsa.SignPKCS1v15(rand.Reader, e.key, crypto.SHA256, sum[:])
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// socialSite returns a site with both providers.
func socialSite(t *testing.T) (*site, *elsewhere) {
	e := newElsewhere(t)
	client := provider.Client{ID: "our id", Secret: "our secret", Endpoints: provider.Endpoints{
		Authorize: e.URL + "/authorize", Token: e.URL + "/token", API: e.URL, Keys: e.URL + "/keys", Issuer: e.URL,
	}}
	return newSite(t, func(o *Options) {
		o.Providers = []*provider.Provider{provider.NewGitHub(client), provider.NewGoogle(client)}
	}), e
}

// leave goes to the provider and returns the state to come back with. The request has further members in more.
func (b *browser) leave(e *elsewhere, provider string, more ...any) (state string) {
	b.t.Helper()
	r := b.want(b.post("/sign-in/social",
		append([]any{"provider", provider, "callbackURL", "/gata", "newUserCallbackURL",
			"/bun-venit", "errorCallbackURL", "/vai"}, more...)...), 200, nil)
	u, err := url.Parse(r.Header.Get("Location"))
	if err != nil || r.json["url"] != u.String() || r.json["redirect"] != true {
		b.t.Fatalf("got %v %s", r.Header, r.text)
	}

	query := u.Query()
	if query.Get("code_challenge_method") != "S256" ||
		query.Get("redirect_uri") != "https://rodata.example/api/auth/callback/"+provider {
		b.t.Errorf("sent with %v", query)
	}

	e.challenge, e.nonce = query.Get("code_challenge"), query.Get("nonce")
	return query.Get("state")
}

func TestProviders(t *testing.T) {
	for _, provider := range []string{"github", "google"} {
		t.Run(provider, func(t *testing.T) {
			s, e := socialSite(t)
			b := s.browser(t)
			back := func(code string) string {
				t.Helper()
				return b.want(b.get("/callback/"+provider+"?code="+code+"&state="+b.leave(e, provider)), 302,
					nil).Header.Get("Location")
			}
			if to := back("good1"); to != "/bun-venit" {
				t.Fatalf("sent to %s; %s", to, s.log)
			}
			if u := s.user(t, ana); !b.isSignedIn() || !u.EmailVerified ||
				!strings.HasPrefix(strings.ToLower(u.Name), "ana") || u.Image == "" {
				t.Errorf("got %+v", u)
			}

			e.emails, e.claims = `[]`, map[string]any{"email": "", "email_verified": false} // no longer matters
			testkit.Equal(t, back("good2"), "/gata", "the second time")
			testkit.Equal(t, back("good2"), "/vai?error=invalid_code", "with a used code")
			if logins, err := s.db.Logins(t.Context(), s.user(t, ana).ID); err != nil || len(logins) != 1 ||
				logins[0].Subject != "4711" || logins[0].Provider != provider {
				t.Errorf("got %+v, %v", logins, err)
			}
		})
	}
}

func TestProviderCallback(t *testing.T) {
	s, e := socialSite(t)
	victim, attacker := s.browser(t), s.browser(t)
	failed := func(r reply, code string) {
		t.Helper()
		victim.want(r, 302, nil)
		testkit.Equal(t, r.Header.Get("Location"), "https://rodata.example/api/auth/error?error="+code,
			code)
	}
	state := attacker.leave(e, "github")
	failed(victim.get("/callback/github?code=good1&state="+state), "state_mismatch")
	failed(victim.get("/callback/github?code=good1"), "state_not_found")
	failed(victim.get("/callback/gitlab?code=good1&state="+state), "oauth_provider_not_found")
	failed(attacker.get("/callback/google?code=good1&state="+state), "state_mismatch") // issued by another provider
	state = attacker.leave(e, "github")
	jar := maps.Clone(attacker.cookies)
	attacker.want(attacker.get("/callback/github?code=good2&state="+state), 302, nil)
	attacker.cookies = jar
	failed(attacker.get("/callback/github?code=good3&state="+state), "state_mismatch") // once more
	for query, code := range map[string]string{"error=access_denied": "access_denied", "error=%3Cb%3E": "unknown",
		"": "no_code", "code=bad": "invalid_code"} {
		testkit.Equal(t,
			victim.get("/callback/github?"+query+"&state="+victim.leave(e, "github")).Header.Get("Location"),
			"/vai?error="+code, "%s", query)
	}

	if victim.isSignedIn() {
		t.Error("the victim is signed in")
	}

	state = victim.leave(e, "github")
	e.challenge = "of another browser"
	testkit.Equal(t, victim.get("/callback/github?code=good4&state="+state).parameter("error"), "invalid_code",
		"a code for another verifier")

	victim.want(victim.post("/sign-in/social", "provider", "gitlab"), 404, "PROVIDER_NOT_FOUND")
}

// An address that the provider has not verified does not sign anyone in, whether or not it has a user.
func TestUnverifiedElsewhere(t *testing.T) {
	s, e := socialSite(t)
	e.emails, e.claims = `[{"email":"ana@exemplu.example","primary":true,"verified":false}]`,
		map[string]any{"email_verified": false}
	b := s.browser(t)
	for _, provider := range []string{"github", "google"} {
		testkit.Equal(t,
			b.get("/callback/"+provider+"?code=good1"+provider+"&state="+b.leave(e, provider)).Header.Get("Location"),
			"/vai?error=email_not_verified", "%s, no user", provider)
	}

	if _, _, err := s.db.UserByEmail(t.Context(), ana); !errors.Is(err, account.ErrNoUser) {
		t.Errorf("there is a user: %v", err)
	}

	s.member(t, ana)
	for _, provider := range []string{"github", "google"} {
		testkit.Equal(t,
			b.get("/callback/"+provider+"?code=good2"+provider+"&state="+b.leave(e, provider)).Header.Get("Location"),
			"/vai?error=email_not_verified", "%s, a user", provider)
	}

	testkit.Equal(t, len(testkit.Must(s.db.Logins(t.Context(), s.user(t, ana).ID))), 1)

	e.emails = `[]`
	testkit.Equal(t, b.get("/callback/github?code=good3&state="+b.leave(e, "github")).parameter("error"),
		"email_not_found", "without an address")
}

// A verified address belongs only to its owner from then on.
func TestVerifiedElsewhere(t *testing.T) {
	s, e := socialSite(t)
	squatter := s.browser(t)
	squatter.post("/sign-up/email", "name", "Alta", "email", ana, "password", parola)
	b := s.browser(t)
	b.want(b.get("/callback/google?code=good1&state="+b.leave(e, "google")), 302, nil)
	if !b.isSignedIn() || !s.user(t, ana).EmailVerified {
		t.Fatal("not signed in")
	}

	squatter.want(squatter.post("/sign-in/email", "email", ana, "password", parola), 401, "INVALID_EMAIL_OR_PASSWORD")

	s, e = socialSite(t)
	owner := s.member(t, ana)
	b = s.browser(t)
	b.want(b.get("/callback/google?code=good1&state="+b.leave(e, "google")), 302, nil)
	if !b.isSignedIn() || !owner.isSignedIn() {
		t.Error("the two providers do not lead to the same user")
	}

	owner.want(owner.post("/sign-in/email", "email", ana, "password", parola), 200, nil)
}

func TestIDTokens(t *testing.T) {
	for name, claims := range map[string]map[string]any{
		"nonce":    {"nonce": "of another browser"},
		"audience": {"aud": "another client"},
		"issuer":   {"iss": "https://evil.example"},
		"expired":  {"exp": time.Now().Add(-time.Hour).Unix()},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := socialSite(t)
			e.claims = claims
			b := s.browser(t)
			if r := b.get("/callback/google?code=good1&state=" +
				b.leave(e, "google")); r.parameter("error") != "invalid_code" || b.isSignedIn() {
				t.Errorf("sent to %s", r.Header.Get("Location"))
			}
		})
	}
}

func TestProviderIsBroken(t *testing.T) {
	s, e := socialSite(t)
	b := s.browser(t)
	e.emails = strings.Repeat(" ", 1<<20) + "[]"
	testkit.Equal(t, b.get("/callback/github?code=good1&state="+b.leave(e, "github")).parameter("error"),
		"invalid_code", "a long answer")

	state := b.leave(e, "github")
	e.Close()
	testkit.Equal(t, b.get("/callback/github?code=good2&state="+state).parameter("error"), "invalid_code",
		"no answer")
	if strings.Contains(s.log.String(), "our secret") {
		t.Error("the secret is logged")
	}
}
