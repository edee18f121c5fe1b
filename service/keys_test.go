package service

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
)

// oneSession knows the session of one cookie.
type oneSession struct{ account string }

const sessionCookie = "better-auth.session_token=good"

func (s oneSession) Session(_ context.Context, _, cookie string) (account.Session, error) {
	if !strings.Contains(cookie, sessionCookie) {
		return account.Session{}, account.ErrNoSession
	}
	return account.Session{ID: "session-1", User: "user-1", Account: s.account, Plan: "pro"}, nil
}

// keyDesk is a service over a store with one account, which has a key and a session.
type keyDesk struct {
	*testing.T
	service *Service
	store   *store.DB
	key     string
}

func newKeyDesk(t *testing.T) *keyDesk {
	t.Helper()
	db := databases.Open(t, filepath.Join(t.TempDir(), "accounts.db"), store.Open)
	d := &keyDesk{T: t, service: newService(t, oneCompany), store: db}
	s := d.service
	s.keys = account.NewDirectory(db, []byte("a secret for tests"), account.DefaultPrefix)
	s.keys.Refused, s.keys.Guesses = s.core.meters.CountRefusedKey, s.core.buckets
	s.serve(t, api.Registries{Companies: s.companies, Keys: s.keys})
	s.gateway.Ledger = metering.NewLedger(db, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { s.gateway.Ledger.Close() })
	s.gateway.Keys, s.gateway.Sessions = s.keys, oneSession{"account-1"}
	s.gateway.TrustedOrigins = web.Origins{"https://app.example.ro"}
	testkit.NoError(t, db.CreateAccount(t.Context(),
		account.Account{ID: "account-1", Plan: "pro", CreatedAt: time.Now()}))
	var err error
	_, d.key, err = s.keys.Issue(t.Context(), account.Key{Account: "account-1", Name: "first"})
	testkit.NoError(t, err)

	return d
}

// ask sends a request; the header has alternating names and values.
func (d *keyDesk) ask(method, path, body string, header ...string) (*http.Response, string) {
	d.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}

	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}

	res := d.service.answer(r)
	text, err := io.ReadAll(res.Body)
	testkit.NoError(d, err)

	return res, string(text)
}

func (d *keyDesk) bearer(key string) []string { return []string{"Authorization", "Bearer " + key} }

// create creates a key, using another key.
func (d *keyDesk) create(key, name string) (made customer.NewKey) {
	d.Helper()
	res, body := d.ask("POST", "/v1/keys", `{"name":"`+name+`"}`, d.bearer(key)...)
	if err := json.Unmarshal([]byte(body), &made); err != nil || res.StatusCode != http.StatusCreated {
		d.Fatalf("got %d %s", res.StatusCode, body)
	}

	return made
}

func (d *keyDesk) accepts(key string) bool {
	d.Helper()
	res, body := d.ask("GET", "/v1/keys", "", d.bearer(key)...)
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusUnauthorized {
		d.Fatalf("got %d %s", res.StatusCode, body)
	}

	return res.StatusCode == http.StatusOK
}

// A key is valid from its creation to its revocation. Revoking it also revokes keys created with it.
func TestLifeOfAKey(t *testing.T) {
	d := newKeyDesk(t)
	made := d.create(d.key, "ERP")
	if !account.IsWellFormed(account.DefaultPrefix, made.Key) || !strings.HasPrefix(made.Key, made.Prefix) {
		t.Errorf("made %+v", made)
	}

	child := d.create(made.Key, "child")
	grandchild := d.create(child.Key, "grandchild")
	for _, key := range []string{made.Key, child.Key, grandchild.Key} {
		if !d.accepts(key) {
			t.Error("a new key is refused")
		}
	}

	if _, body := d.ask("GET", "/v1/keys", "", d.bearer(made.Key)...); strings.Count(body, `"id"`) != 4 ||
		strings.Contains(body, made.Key) {
		t.Errorf("listed as %s", body)
	}

	res, body := d.ask("DELETE", "/v1/keys/"+made.ID, "", d.bearer(d.key)...)
	if res.StatusCode != http.StatusNoContent || body != "" || res.Header.Get("Content-Type") != "" ||
		res.Header.Get("Content-Length") != "" {
		t.Errorf("revoked with %d %q %v", res.StatusCode, body, res.Header)
	}

	for _, key := range []string{made.Key, child.Key, grandchild.Key} {
		if d.accepts(key) {
			t.Error("a key outlives the one it was made with")
		}
	}

	if !d.accepts(d.key) {
		t.Error("an unrelated key was revoked as well")
	}
	if res, _ := d.ask("DELETE", "/v1/keys/"+made.ID, "", d.bearer(d.key)...); res.StatusCode != http.StatusNotFound {
		t.Errorf("revoked again with %d", res.StatusCode)
	}
}

// A program rotates its key as documented: it creates another one with it, switches to that, and revokes the first. The
// one it now uses stays valid.
func TestKeyRotationOverAPI(t *testing.T) {
	d := newKeyDesk(t)
	first := d.create(d.key, "ERP")
	second := d.create(first.Key, "ERP")
	third := d.create(second.Key, "ERP")
	for _, step := range []struct{ revoked, with customer.NewKey }{{first, second}, {second, third}} {
		if res, body := d.ask("DELETE", "/v1/keys/"+step.revoked.ID, "",
			d.bearer(step.with.Key)...); res.StatusCode != http.StatusNoContent {
			t.Fatalf("got %d %s", res.StatusCode, body)
		}

		if d.accepts(step.revoked.Key) || !d.accepts(step.with.Key) || !d.accepts(third.Key) {
			t.Errorf("accepted are: the revoked key %v, the caller's %v, one made with it %v",
				d.accepts(step.revoked.Key),
				d.accepts(step.with.Key), d.accepts(third.Key))
		}
	}
}

// A key is accepted in either header. A call with two different keys is rejected.
func TestKeyInItsOwnHeader(t *testing.T) {
	d := newKeyDesk(t)
	other := d.create(d.key, "other").Key
	for _, c := range []struct {
		name   string
		header []string
		status int
	}{
		{"x-api-key", []string{"x-api-key", d.key}, 200},
		{"in both headers", []string{"x-api-key", d.key, "Authorization", "Bearer " + d.key}, 200},
		{"beside a session", []string{"x-api-key", d.key, "Cookie", sessionCookie}, 200},
		{"two valid keys", []string{"x-api-key", d.key, "Authorization", "Bearer " + other}, 400},
		{"an unknown key", []string{"x-api-key", d.key + "0"}, 401},
		{"an unknown key beside a session", []string{"x-api-key", d.key + "0", "Cookie", sessionCookie}, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, body := d.ask("GET", "/v1/keys", "", c.header...)
			if res.StatusCode != c.status || strings.Contains(body, d.key) {
				t.Errorf("got %d %s, want %d", res.StatusCode, body, c.status)
			}
		})
	}
}

// Other accounts can neither see nor revoke the keys of an account.
func TestForeignKeysAreUnknown(t *testing.T) {
	d := newKeyDesk(t)
	other := account.Account{ID: "account-2", Plan: "free", CreatedAt: time.Now()}
	testkit.NoError(t, d.store.CreateAccount(t.Context(), other))

	foreign, _, err := d.service.keys.Issue(t.Context(),
		account.Key{Account: other.ID, Name: "foreign"})
	testkit.NoError(t, err)
	if _, body := d.ask("GET", "/v1/keys", "", d.bearer(d.key)...); strings.Contains(body, "foreign") {
		t.Errorf("listed as %s", body)
	}

	const unknown = "01900000-0000-7000-8000-000000000000"
	_, want := d.ask("DELETE", "/v1/keys/"+unknown, "", d.bearer(d.key)...)
	res, got := d.ask("DELETE", "/v1/keys/"+foreign.ID, "", d.bearer(d.key)...)
	if res.StatusCode != http.StatusNotFound || strings.ReplaceAll(got, foreign.ID, unknown) != want {
		t.Errorf("a foreign key: %d %s, an unknown one: %s", res.StatusCode, got, want)
	}
}

func TestBodiesOfKeys(t *testing.T) {
	d := newKeyDesk(t)
	for _, c := range []struct {
		name, body, contentType string
		status                  int
		want                    string
	}{
		{"broken", `{"name":`, "application/json", 400, "ends too early"},
		{"empty", ``, "application/json", 400, "ends too early"},
		{"an array", `["ERP"]`, "application/json", 400, "JSON object"},
		{"two objects", `{"name":"ERP"}{}`, "application/json", 400, "after the JSON object"},
		{"deep", `{"name":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`, "application/json", 400,
			"object or array"},
		{"too deep", `{"name":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
			"application/json", 400,
			"nested too deeply"},
		{"large", `{"name":"` + strings.Repeat("x", 64<<10) + `"}`, "application/json", 413, "larger"},
		{"a number", `{"name":5}`, "application/json", 400, "string is needed"},
		{"null", `{"name":null}`, "application/json", 400, "missing"},
		{"twice", `{"name":"a","name":"b"}`, "application/json", 400, "more than once"},
		{"unknown field", `{"name":"ERP","admin":true}`, "application/json", 400, "unknown parameter"},
		{"twice, escaped", `{"name":"a","n\u0061me":"b"}`, "application/json", 400, "more than once"},
		{"in another case", `{"Name":"a"}`, "application/json", 400, "name"},
		{"not UTF-8", "{\"name\":\"\xff\"}", "application/json", 400, "UTF-8"},
		{"a comma at the end", `{"name":"a",}`, "application/json", 400, "broken at byte"},
		{"a line break", `{"name":"ERP\nx"}`, "application/json", 400, "control character"},
		{"no media type", `{"name":"a"}`, "", 415, "application/json"},
		{"a malformed media type", `{"name":"a"}`, "application/json;;;=", 415, "application/json"},
		{"a form", `name=ERP`, "application/x-www-form-urlencoded", 415, "application/json"},
		{"plain text", `{"name":"ERP"}`, "text/plain", 415, "application/json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, body := d.ask("POST", "/v1/keys", c.body, "Authorization", "Bearer "+d.key, "Content-Type",
				c.contentType)
			if res.StatusCode != c.status || !strings.Contains(body, c.want) ||
				res.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("got %d %s, want %d that says %q", res.StatusCode, body, c.status, c.want)
			}
		})
	}

	if _, body := d.ask("GET", "/v1/keys", "", d.bearer(d.key)...); strings.Count(body, `"id"`) != 1 {
		t.Errorf("a refused body made a key: %s", body)
	}
}

// With a session, only pages of the service and of trusted origins can make changes and read the answer.
func TestSessionsInPages(t *testing.T) {
	d := newKeyDesk(t)
	for _, c := range []struct {
		name, origin   string
		status         int
		allowed, sends string // the answer's Access-Control-Allow-Origin and -Credentials
	}{
		{"own", "https://api.example.ro", 201, "*", ""},
		{"trusted", "https://app.example.ro", 201, "https://app.example.ro", "true"},
		{"foreign", "https://evil.example", 403, "*", ""},
		{"another port", "https://api.example.ro:8443", 403, "*", ""},
		{"unencrypted", "http://api.example.ro", 403, "*", ""},
		{"none", "", 403, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := []string{"Cookie", "theme=dark; " + sessionCookie}
			if c.origin != "" {
				header = append(header, "Origin", c.origin)
			}

			res, body := d.ask("POST", "/v1/keys", `{"name":"ERP"}`, header...)
			if res.StatusCode != c.status {
				t.Errorf("got %d %s, want %d", res.StatusCode, body, c.status)
			}

			preflight, _ := d.ask("OPTIONS", "/v1/keys", "", append(header, "Access-Control-Request-Method", "POST")...)
			for _, h := range []http.Header{res.Header, preflight.Header} {
				if h.Get("Access-Control-Allow-Origin") != c.allowed ||
					h.Get("Access-Control-Allow-Credentials") != c.sends ||
					h.Get("Vary") != "Origin" {
					t.Errorf("answered with %v", h)
				}
			}
		})
	}
	// Public answers are the same for pages of all origins.
	res, _ := d.ask("GET", "/v1/plans", "", "Origin", "https://app.example.ro", "Cookie", sessionCookie)
	if h := res.Header; h.Get("Access-Control-Allow-Origin") != "*" ||
		h.Get("Access-Control-Allow-Credentials") != "" ||
		h.Get("Vary") != "Authorization, X-Api-Key, Accept-Encoding" {
		t.Errorf("the plans are answered with %v", h)
	}
}

// A mistyped key, or one sent with another scheme, is counted separately from an unknown one.
func TestRefusedKeysAreCounted(t *testing.T) {
	d := newKeyDesk(t)
	d.accepts("rodata_live_mistyped")
	d.accepts(d.key + "0")
	d.accepts(account.NewSecret(account.DefaultPrefix))
	d.accepts(d.key)
	for _, authorization := range []string{"Basic QTpC", d.key} {
		if res, body := d.ask("GET", "/v1/plans", "", "Authorization",
			authorization); res.StatusCode != http.StatusUnauthorized ||
			!strings.Contains(fmt.Sprint(res.Header), "RateLimit-Policy:") {
			t.Errorf("%s: got %d %s %v", authorization, res.StatusCode, body, res.Header)
		}
	}

	registry := prometheus.NewRegistry()
	registry.MustRegister(d.service.core.meters)
	families, err := registry.Gather()
	testkit.NoError(t, err)

	counted := make(map[string]float64)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "rodata_keys_refused_total" {
				counted[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}

	if counted["checksum"] != 4 || counted["unknown"] != 1 {
		t.Errorf("counted %v", counted)
	}
}
