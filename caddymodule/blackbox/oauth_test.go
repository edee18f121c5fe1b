package blackbox

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/testkit"
)

// withOAuth lets people grant programs access to their accounts.
func withOAuth(g *gateway) { g.app()["oauth"], g.app()["base_url"] = "on", g.url }

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)

// allow gives consent with the person's cookie to a program's request at a path, and returns the program's answer.
func (g *gateway) allow(t *testing.T, path, cookie string) url.Values {
	t.Helper()
	form := url.Values{"decision": {"allow"}}
	page := g.do(t, "GET", path, request{header: map[string]string{"Cookie": cookie}})
	for _, m := range hiddenField.FindAllStringSubmatch(string(page.body), -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}

	r, err := http.NewRequestWithContext(t.Context(), "POST", g.url+"/api/auth/oauth2/authorize",
		strings.NewReader(form.Encode()))
	testkit.NoError(t, err)

	r.Header = http.Header{"Cookie": {cookie}, "Origin": {g.url}, "Content-Type": {"application/x-www-form-urlencoded"}}
	res, err := http.DefaultTransport.RoundTrip(r)
	testkit.NoError(t, err)

	res.Body.Close()
	to, err := res.Location()
	if err != nil {
		t.Fatalf("%d: %v, and the page was %s", res.StatusCode, err, page.body)
	}

	return to.Query()
}

// token consents, with the person's cookie, to a new program's calls.
// It requests the given scopes, by default none.
func (g *gateway) token(t *testing.T, cookie string, scopes ...string) string {
	t.Helper()
	const verifier, back = "a-code-verifier-of-at-least-forty-three-characters", "https://app.example/back"
	var program struct {
		ID string `json:"client_id"`
	}
	registered := g.do(t, "POST", "/api/auth/oauth2/register",
		request{body: `{"redirect_uris":["` + back + `"]}`,
			header: map[string]string{"Content-Type": "application/json"}})
	testkit.NoError(t, json.Unmarshal(registered.body, &program))

	sum := sha256.Sum256([]byte(verifier))
	asked := url.Values{"client_id": {program.ID}, "redirect_uri": {back}, "response_type": {"code"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"scope": {strings.Join(scopes, " ")}}
	code := g.allow(t, "/api/auth/oauth2/authorize?"+asked.Encode(), cookie).Get("code")
	got := g.do(t, "POST", "/api/auth/oauth2/token", request{
		body: url.Values{
			"grant_type": {"authorization_code"}, "client_id": {program.ID}, "code": {code},
			"code_verifier": {verifier},
		}.Encode(),
		header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
	}).object(t)
	token, _ := got["access_token"].(string)
	if token == "" {
		t.Fatalf("no token: %v", got)
	}

	return token
}

// Neither codes nor tokens are in the log or in the data directory.
func TestOAuthTokensStaySecret(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.json")
	g := start(t, withOAuth, withCaddysLog(t), logTo(log), func(g *gateway) {
		for _, l := range g.config["logging"].(object)["logs"].(object) {
			l.(object)["level"] = "DEBUG"
		}
	})
	token := g.token(t, g.signUp(t, "ana@example.ro", "a long password"))
	secrets := planted{"access token": token, "code": "rodata_code_", "refresh token": "rodata_refresh_"}
	for _, path := range []string{"/mcp", "/mcp?access_token=" + token, "/v1/usage?token=" + token} {
		g.do(t, "POST", path, bearer(token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	}
	testkit.NoError(t, caddy.Stop())

	logged, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(logged), "/api/auth/oauth2/token") {
		t.Fatalf("the log is %s %v", logged, err)
	}
	if names := secrets.found(logged); len(names) > 0 {
		t.Errorf("%v in the log: %s", names, logged)
	}

	secrets.notIn(t, os.Getenv("RODATA_DATA_DIR"))
}
