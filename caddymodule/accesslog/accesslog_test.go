package accesslog

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/rodata/rodata/testkit"
)

func TestLoggedAddress(t *testing.T) {
	const digits = "0123456789ABCDEFGHIJ"
	f := &URI{Parameters: []string{"page"}}
	testkit.NoError(t, f.Provision(caddy.Context{}))

	for uri, want := range map[string]string{
		"/v1/companies?q=Exemplu%20SRL&county=CJ&limit=5": "/v1/companies?q=Exemplu%20SRL&county=CJ&limit=5",
		"/docs?lang=ro&page=2":                            "/docs?lang=ro&page=2",
		"/v1/companies/9900000010":                        "/v1/companies/9900000010",
		"*":                                               "*",
		"/caf%C3%A9%zz":                                   "/caf%C3%A9%zz",
		"/rodata_live_" + digits:                          "/REDACTED",
		"/v1/rodata%5Flive%5f" + digits + "/x":            "/v1/REDACTED/x",
		"/rodata%255Flive%255F" + digits:                  "/REDACTED",
		"/RODATA_LIVE_" + digits:                          "/REDACTED",
		"/x%2Facme_live_" + digits:                        "/x/REDACTED",
		"/v1/watchlists/wlf_" + digits + "/feed.atom":     "/v1/watchlists/REDACTED/feed.atom",
		"/v1/watchlists/wlf%5F" + digits + "/feed.json":   "/v1/watchlists/REDACTED/feed.json",
		"/v1/plans?TOKEN=" + digits:                       "/v1/plans?TOKEN=REDACTED",
		"/v1/plans?to%6Ben=" + digits + "&limit=5":        "/v1/plans?to%6Ben=REDACTED&limit=5",
		"/v1/plans?limit=5;token=" + digits:               "/v1/plans?limit=5;token=REDACTED",
		"/v1/plans?" + digits:                             "/v1/plans?REDACTED",
		"/v1/plans?" + digits + "=":                       "/v1/plans?REDACTED",
		"/v1/plans?q=x%20rodata%5Flive%5F" + digits:       "/v1/plans?q=REDACTED",
		"/v1/plans?rodata%5Flive%5F" + digits + "=1":      "/v1/plans?REDACTED",
		"/v1/plans?q=a=b":                                 "/v1/plans?q=a=b",
		"/api/auth/reset-password/" + digits:              "/api/auth/reset-password/REDACTED",
		"/api/auth/Reset-Password%2F" + digits + "?q=1":   "/api/auth/Reset-Password/REDACTED?REDACTED",
		"/api/auth/callback/github?code=" + digits:        "/api/auth/callback/REDACTED?REDACTED",
		"http://ana:" + digits + "@proxy.example/v1?q=1":  "http://REDACTED@proxy.example/v1?q=1",
		"/İİİİ/reset-password/" + digits:                  "/İİİİ/reset-password/REDACTED",
	} {
		got := f.Filter(zap.String("uri", uri)).String
		if got != want || strings.Contains(got, digits) {
			t.Errorf("%s is logged as %s, want %s", uri, got, want)
		}
	}
}

// The parameters of operations are logged, so none may have the name of a secret.
func TestOperationsTakeNoSecretInTheAddress(t *testing.T) {
	for _, name := range operationParameters() {
		for _, secret := range []string{"key", "token", "secret", "password", "code", "state", "signature"} {
			if strings.Contains(strings.ToLower(name), secret) && name != "naceCode" && name != "statement" {
				t.Errorf("the parameter %s would be logged", name)
			}
		}
	}
}

func TestLoggedHeaders(t *testing.T) {
	f := &Headers{Headers: []string{"x-exemplu"}}
	testkit.NoError(t, f.Provision(caddy.Context{}))

	sent := http.Header{
		"User-Agent": {"exemplu/1.0"}, "X-Exemplu": {"yes"}, "Accept": {"text/html", "*/*"},
		"Accept-Language": {"acme%5Flive%5F0123"},
		"Apikey":          {"secret"}, "X-Auth-Token": {"secret"}, "Authorization": {"Bearer secret"},
		"Cookie":     {"secret"},
		"X-Whatever": {"secret"},
	}
	enc := zapcore.NewMapObjectEncoder()
	f.Filter(zap.Object("headers", caddyhttp.LoggableHTTPHeader{Header: sent})).AddTo(enc)
	got, _ := enc.Fields["headers"].(map[string]any)
	for name, want := range map[string]string{
		"User-Agent": "exemplu/1.0", "X-Exemplu": "yes", "Accept": "text/html", "Accept-Language": redacted,
	} {
		if values, _ := got[name].([]any); len(values) == 0 || values[0] != want {
			t.Errorf("%s is logged as %v, want %s", name, got[name], want)
		}
	}

	if len(got) != 4 {
		t.Errorf("logged: %v", got)
	}

	refused := &Headers{Headers: []string{"authorization"}}
	if err := refused.Provision(caddy.Context{}); err == nil {
		t.Error("the key may be logged")
	}
}

// The documentation lists the headers that are logged, in the same order.
func TestLoggedHeadersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/operations.md")
	testkit.NoError(t, err)
	if want := "| headers | `" + strings.Join(defaultHeaders, "`, `") + "`; "; !strings.Contains(string(text), want) {
		t.Errorf("docs/operations.md lacks %s", want)
	}
}
