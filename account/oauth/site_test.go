package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/account/provider"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit/accountstore"
	"github.com/rodata/rodata/testkit/fake"
)

const password = "o parolă lungă"

var secret = []byte("a secret for tests")

// site is a Server at an address, with its users.
type site struct {
	*Server
	t   testing.TB
	db  *store.DB
	url string
	log *safeBuilder

	mu     sync.Mutex
	tokens []string // the issued ones
}

// safeBuilder is a strings.Builder for concurrent use.
type safeBuilder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *safeBuilder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuilder) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// newSite serves a site over a store. It fetches the metadata documents of
// programs with the HTTP client documents, which connects to a stand-in for their hosts.
func newSite(t testing.TB, db *store.DB, documents *http.Client) *site {
	t.Helper()
	s := &site{t: t, db: db, log: new(safeBuilder)}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	s.url = server.URL
	logger := slog.New(slog.NewTextHandler(s.log, nil))
	people := auth.New(auth.Options{
		Store: db, Secret: secret, BaseURL: func(*http.Request) string { return server.URL }, DefaultPlan: "free",
		Logger: logger, Address: fake.Address,
		Buckets: metering.NewBuckets(), Providers: []*provider.Provider{provider.NewGitHub(provider.Client{ID: "id",
			Secret: "secret"})},
	})
	s.Server = New(Options{
		Store: db, Secret: secret, People: people, Issuer: server.URL, Resource: server.URL + "/mcp",
		Documents: documents, Logger: logger, Address: fake.Address, Buckets: metering.NewBuckets(),
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if s.Handles(r.URL.Path) {
			s.ServeHTTP(w, r)
			return
		}

		people.ServeHTTP(w, r)
	})
	mux.Handle("/mcp", s.resource())
	t.Cleanup(func() {
		server.Close()
		s.Close()
		people.Close()
	})
	return s
}

// browser keeps cookies and follows no redirects.
type browser struct {
	*site
	*http.Client
}

func (s *site) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{s, &http.Client{
		Jar: jar, Transport: new(http.Transport),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// member returns a browser with a signed-up user.
func (s *site) member(email string) *browser {
	s.t.Helper()
	b := s.browser()
	text, _ := json.Marshal(map[string]string{"name": "Ana Exemplu", "email": email, "password": password})
	r := b.send("POST", auth.Path+"/sign-up/email", string(text), "Content-Type", "application/json", "Origin", s.url)
	if r.StatusCode != http.StatusOK {
		s.t.Fatalf("signing up: %d %s", r.StatusCode, r.text)
	}

	return b
}

// received is a response whose body has been read.
type received struct {
	*http.Response
	text string
	json map[string]any // nil unless it is an object
}

// send sends a request with pairs of header fields to one of our paths, or to an absolute address.
func (b *browser) send(method, target, body string, header ...string) received {
	b.t.Helper()
	if strings.HasPrefix(target, "/") {
		target = b.url + target
	}

	r, err := http.NewRequestWithContext(context.Background(), method, target, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}

	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}

	res, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}

	text, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		b.t.Fatal(err)
	}

	got := received{Response: res, text: string(text)}
	json.Unmarshal(text, &got.json)
	return got
}

// post submits a form like one of our pages.
func (b *browser) post(path string, form url.Values, header ...string) received {
	b.t.Helper()
	return b.send("POST", path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded",
		"Origin", b.url}, header...)...)
}

// back returns the response in the redirect to the program.
func (r received) back(t testing.TB) url.Values {
	t.Helper()
	u, err := url.Parse(r.Header.Get("Location"))
	if err != nil || r.StatusCode != http.StatusSeeOther {
		t.Fatalf("got %d %v %s", r.StatusCode, r.Header, r.text)
	}

	return u.Query()
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)

// fields returns the hidden fields of a page's form.
func (r received) fields() url.Values {
	form := make(url.Values)
	for _, m := range hiddenField.FindAllStringSubmatch(r.text, -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	return form
}

const (
	verifier = "a-code-verifier-of-at-least-forty-three-characters"
	callback = "https://app.example/callback?way=1"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// registered registers a program and returns its client_id.
func (s *site) registered(redirects ...string) string {
	s.t.Helper()
	text, _ := json.Marshal(map[string]any{"client_name": "Exemplu <b>", "redirect_uris": redirects})
	r := s.browser().send("POST", Path+"/register", string(text), "Content-Type", "application/json")
	if r.StatusCode != http.StatusCreated {
		s.t.Fatalf("registering: %d %s", r.StatusCode, r.text)
	}

	return r.json["client_id"].(string)
}

// asking returns an authorization request; pairs of names and values change it, and empty values remove parameters.
func (s *site) asking(client string, pairs ...string) url.Values {
	q := url.Values{
		"client_id": {client}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"a state"},
		"scope":          {string(account.AllScopes)},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"}, "resource": {s.Resource},
	}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}

	return q
}

// allow gives consent, and returns the response to the program.
func (b *browser) allow(q url.Values) url.Values {
	b.t.Helper()
	page := b.send("GET", Path+"/authorize?"+q.Encode(), "")
	form := page.fields()
	if page.StatusCode != http.StatusOK || form.Get("seal") == "" {
		b.t.Fatalf("no consent page: %d %v %s", page.StatusCode, page.Header, page.text)
	}

	form.Set("decision", "allow")
	back := b.post(Path+"/authorize", form).back(b.t)
	b.tokens = append(b.tokens, back.Get("code"))
	return back
}

// exchange requests tokens.
func (s *site) exchange(pairs ...string) received {
	s.t.Helper()
	form := make(url.Values)
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}

	r := s.browser().post(Path+"/token", form)
	for _, name := range []string{"access_token", "refresh_token"} {
		if token, ok := r.json[name].(string); ok {
			s.mu.Lock()
			s.tokens = append(s.tokens, token)
			s.mu.Unlock()
		}
	}

	return r
}

// pair is the tokens that a program gets after consent.
type pair struct{ client, code, access, refresh string }

// granted registers a program and grants it access.
func (b *browser) granted() pair {
	b.t.Helper()
	p := pair{client: b.registered(callback)}
	p.code = b.allow(b.asking(p.client)).Get("code")
	return b.tokensOf(p, b.exchange("grant_type", "authorization_code", "client_id", p.client, "code", p.code,
		"redirect_uri", callback, "code_verifier", verifier, "resource", b.Resource))
}

// tokensOf reads tokens.
func (s *site) tokensOf(p pair, r received) pair {
	s.t.Helper()
	p.access, _ = r.json["access_token"].(string)
	p.refresh, _ = r.json["refresh_token"].(string)
	if r.StatusCode != http.StatusOK || p.access == "" || p.refresh == "" {
		s.t.Fatalf("no tokens: %d %s", r.StatusCode, r.text)
	}

	return p
}

func (s *site) refresh(p pair) received {
	s.t.Helper()
	return s.exchange("grant_type", "refresh_token", "client_id", p.client, "refresh_token", p.refresh)
}

// want checks an OAuth error.
func (r received) want(t testing.TB, status int, code string) {
	t.Helper()
	if got, _ := r.json["error"].(string); r.StatusCode != status || got != code || r.json["error_description"] == "" ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %s %v, want %d %s", r.StatusCode, r.text, r.Header, status, code)
	}
}

// accepted reports whether a token is accepted.
func (s *site) accepted(token string) bool {
	s.t.Helper()
	_, err := s.Tokens.Key(context.Background(), token)
	return err == nil
}

// forStores runs a test on a site with every kind of store.
func forStores(t *testing.T, test func(t *testing.T, s *site)) {
	accountstore.Each(t, func(t *testing.T, db *store.DB) { test(t, newSite(t, db, nil)) })
}
