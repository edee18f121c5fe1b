package oauth

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

func TestDescriptions(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b := s.browser()
	server := b.send("GET", "/.well-known/oauth-authorization-server", "")
	below := b.send("GET", "/.well-known/oauth-authorization-server/mcp", "")
	if below.StatusCode != http.StatusOK || below.text != server.text {
		t.Errorf("for the resource: %d %s", below.StatusCode, below.text)
	}

	for name, want := range map[string]any{
		"issuer": s.url, "authorization_endpoint": s.url + "/api/auth/oauth2/authorize",
		"token_endpoint":                        s.url + "/api/auth/oauth2/token",
		"registration_endpoint":                 s.url + "/api/auth/oauth2/register",
		"revocation_endpoint":                   s.url + "/api/auth/oauth2/revoke",
		"client_id_metadata_document_supported": true, "authorization_response_iss_parameter_supported": true,
	} {
		testkit.Equal(t, server.json[name], want, name)
	}

	if methods := server.json["code_challenge_methods_supported"].([]any); len(methods) != 1 || methods[0] != "S256" {
		t.Errorf("PKCE by %v", methods)
	}

	testkit.Equal(t, fmt.Sprint(server.json["scopes_supported"]), "[rodata:read rodata:watch]", "scopes")

	for _, path := range []string{"/.well-known/oauth-protected-resource",
		"/.well-known/oauth-protected-resource/mcp"} {
		r := b.send("GET", path, "")
		if r.StatusCode != http.StatusOK || r.json["resource"] != s.url+"/mcp" ||
			r.json["authorization_servers"].([]any)[0] != s.url || r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %s %v", path, r.StatusCode, r.text, r.Header)
		}
		if strings.Contains(r.text, "offline_access") {
			t.Errorf("%s: %s", path, r.text)
		}
	}
}

func TestUnknownRoutesAndMethods(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b := s.browser()
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", Path, 404, ""}, {"GET", Path + "/", 404, ""}, {"GET", Path + "/userinfo", 404, ""},
		{"POST", Path + "/introspect", 404, ""},
		{"GET", Path + "/token", 405, "OPTIONS, POST"}, {"PUT", Path + "/authorize", 405, "GET, HEAD, OPTIONS, POST"},
		{"GET", Path + "/grants/x", 405, "DELETE, OPTIONS"},
		{"POST", "/.well-known/oauth-authorization-server", 405, "GET, HEAD, OPTIONS"},
	} {
		r := b.send(c.method, c.path, "")
		if r.StatusCode != c.status || r.Header.Get("Allow") != c.allow ||
			r.Header.Get("Content-Type") != "application/problem+json" || r.json["code"] == "" {
			t.Errorf("%s %s: %d %s %v", c.method, c.path, r.StatusCode, r.text, r.Header)
		}
	}
}

// Pages of other origins may request tokens, but not act for a signed-in person.
func TestPagesOfOtherOrigins(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	for path, open := range map[string]bool{"/token": true, "/register": true, "/revoke": true, "/authorize": false,
		"/grants": false} {
		r := s.browser().send("OPTIONS", Path+path, "", "Origin", "https://app.example",
			"Access-Control-Request-Method", "POST")
		if got := r.Header.Get("Access-Control-Allow-Origin"); (got == "*") != open ||
			(r.Header.Get("Access-Control-Allow-Methods") != "") != open ||
			r.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %v", path, r.StatusCode, r.Header)
		}
	}
}

// While the store is down, programs and people are asked to try again later.
func TestUnavailableStore(t *testing.T) {
	s := newSite(t, accountstore.Open(t), nil)
	b := s.member("ana@exemplu.example")
	client := s.registered(callback)
	q := s.asking(client).Encode()
	testkit.NoError(t, s.db.Close())

	r := s.exchange("grant_type", "refresh_token", "client_id", client, "refresh_token",
		account.NewSecret(refreshPrefix))
	if r.want(t, 503, "temporarily_unavailable"); r.Header.Get("Retry-After") == "" {
		t.Errorf("no advice: %v", r.Header)
	}
	if r := b.send("GET", Path+"/authorize?"+q, ""); r.StatusCode != http.StatusServiceUnavailable ||
		!strings.Contains(r.text, "in a moment") {
		t.Errorf("got %d %s", r.StatusCode, r.text)
	}
}
