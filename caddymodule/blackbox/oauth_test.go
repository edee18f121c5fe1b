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

// Clients that probe for OAuth would prompt every user to sign in, so nothing indicates it while it is off.
func oauthIsOff(t *testing.T, g *gateway) {
	for _, path := range []string{
		"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource",
		"/.well-known/oauth-protected-resource/mcp",
		"/.well-known/openid-configuration", "/api/auth/oauth2/authorize", "/api/auth/oauth2/grants",
	} {
		if got := g.get(t, path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
	}

	got := g.do(t, "POST", "/mcp", bearer("rodata_live_wrong", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if challenge := got.Header.Get("WWW-Authenticate"); got.StatusCode != http.StatusUnauthorized ||
		strings.Contains(challenge, "resource_metadata") {
		t.Errorf("got %d %s", got.StatusCode, challenge)
	}
}

// The service tells clients where they are authorized. The rooms test the rest: account/oauth and mcp.
func TestOAuthIsOn(t *testing.T) {
	g := start(t, withOAuth)
	if server := g.get(t, "/.well-known/oauth-authorization-server").object(t); server["issuer"] != g.url {
		t.Errorf("the server is %v", server)
	}
	if resource := g.get(t, "/.well-known/oauth-protected-resource/mcp").object(t); resource["resource"] != g.url+"/mcp" {
		t.Errorf("the resource is %v", resource)
	}

	refused := g.do(t, "POST", "/mcp", bearer("rodata_access_wrong", listTools))
	want := `Bearer error="invalid_token", resource_metadata="` + g.url +
		`/.well-known/oauth-protected-resource/mcp", scope="rodata:read rodata:watch"`
	if refused.problem(t, 401, "unauthorized"); refused.Header.Get("WWW-Authenticate") != want {
		t.Errorf("the challenge is %s", refused.Header.Get("WWW-Authenticate"))
	}
}

// A program's calls are charged to the account of the person who consented, until the grant is revoked. Its token is
// only valid for tools, not for keys or REST. account/oauth tests the official client.
func TestOAuthTokensDrawOnTheAccount(t *testing.T) {
	g := start(t, withOAuth)
	cookie := g.signUp(t, "ana@example.ro", "a long password")
	token := g.token(t, cookie)
	if o := g.do(t, "POST", "/mcp", toolCallOf(token, "get_company", `{"cui":"`+company(t)+`"}`)).outcome(t); o.IsError {
		t.Fatalf("the tool: %+v", o)
	}

	own := request{header: map[string]string{"Cookie": cookie, "Origin": g.url}}
	if usage := g.do(t, "GET", "/v1/usage", own).object(t); usage["creditsUsed"] != 1.0 {
		t.Errorf("the account's usage is %v", usage)
	}

	g.do(t, "GET", "/v1/keys", bearer(token, "")).problem(t, 401, "unauthorized")
	g.do(t, "POST", "/v1/keys", bearer(token, `{"name":"mine"}`)).problem(t, 401, "unauthorized")

	var grants struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(g.do(t, "GET", "/api/auth/oauth2/grants", own).body, &grants); err != nil ||
		len(grants.Items) != 1 {
		t.Fatalf("the grants are %+v %v", grants, err)
	}
	if got := g.do(t, "DELETE", "/api/auth/oauth2/grants/"+grants.Items[0].ID,
		own); got.StatusCode != http.StatusNoContent {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}

	g.do(t, "POST", "/mcp", message(token, listTools)).problem(t, 401, "unauthorized")
}

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

// A reload keeps grants; turning OAuth off disables them.
func TestOAuthAcrossReloads(t *testing.T) {
	g := start(t, withOAuth)
	cookie := g.signUp(t, "ana@example.ro", "a long password")
	token := g.token(t, cookie)
	list := bearer(token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	for _, c := range []struct {
		oauth string
		want  int
	}{{"on", http.StatusOK}, {"off", http.StatusUnauthorized}, {"on", http.StatusOK}} {
		g.app()["oauth"] = c.oauth
		testkit.NoError(t, g.load())

		http.DefaultClient.CloseIdleConnections() // the replaced server is about to
		if got := g.do(t, "POST", "/mcp", list); got.StatusCode != c.want {
			t.Errorf("%s: got %d %s", c.oauth, got.StatusCode, got.body)
		}
	}
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
