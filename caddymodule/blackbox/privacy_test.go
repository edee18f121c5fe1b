package blackbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/mailserver"
)

// planted are secrets by kind.
type planted map[string]string

// configure puts the configuration's secrets where an operator does.
func (p planted) configure(t *testing.T) func(*gateway) {
	return func(g *gateway) {
		for name, value := range map[string]string{
			"RODATA_SECRET": p["pepper"], "RODATA_SMTP_URL": "smtp://desk:" + p["mail password"] + "@127.0.0.1:9",
			"RODATA_MAIL_FROM": "desk@example.ro", "RODATA_CONTACT_TO": "operators@example.ro",
			"RODATA_BASE_URL":  g.url,
			"RODATA_GITHUB_ID": "exemplu", "RODATA_GITHUB_SECRET": p["GitHub's secret"],
			"RODATA_STRIPE_KEY": p["Stripe's key"], "RODATA_STRIPE_WEBHOOK_SECRET": p["Stripe's key"],
		} {
			t.Setenv(name, value)
		}

		g.app()["auth"].(object)["require_verification"] = "off" // so that sign-up starts a session
	}
}

// found lists the secrets in a text.
func (p planted) found(text []byte) (names []string) {
	for name, secret := range p {
		if bytes.Contains(text, []byte(secret)) {
			names = append(names, name)
		}
	}

	return names
}

// attempt is a request with a secret in a place where a mistaken client could put it. Valid arguments are repeated in
// the answer.
type attempt struct {
	method, path string
	request
	repeated bool
}

// attempts returns all of them except for those in unknown paths.
func attempts(secret string) (all []attempt) {
	get := func(path string, header map[string]string) {
		all = append(all, attempt{"GET", path, request{header: header}, false})
	}
	post := func(path, body string, repeated bool) {
		all = append(all, attempt{"POST", path, request{body: body, header: map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "X-Api-Key": secret}},
			repeated})
	}
	for _, path := range []string{"/api/auth/verify-email?token=" + secret, "/api/auth/confirm/email?token=" + secret,
		"/api/auth/unsubscribe?token=" + secret,
		"/api/auth/reset-password/" + secret + "?callbackURL=https://evil.example",
		"/api/auth/magic-link/verify?token=" + secret, "/api/auth/callback/github?code=" + secret + "&state=" + secret,
		"/v1/plans?key=" + secret, "/v1/plans?api_key=" + secret, "/v1/plans?apikey=" + secret,
		"/v1/plans?token=" + secret,
		"/v1/plans?access_token=" + secret,
		"/v1/plans?TOKEN=" + secret, "/v1/plans?Access-Token=" + secret, "/v1/plans?to%6ben=" + secret,
		"/v1/plans?limit=1;token=" + secret, "/docs?" + secret, "/docs?code=" + secret,
		"/docs?password=" + secret, "/nothing?pw=" + encoded(secret), "/api/auth%2Freset-password%2F" + secret,
		"/API/AUTH/Reset-Password/" + secret} {
		get(path, nil)
	}

	for name, value := range map[string]string{
		"Authorization": "Bearer " + secret, "Proxy-Authorization": "Basic " + secret, "X-Api-Key": secret,
		"Apikey": secret, "Api-Key": secret, "X-Auth-Token": secret, "X-Access-Token": secret, "X-Token": secret,
		"Key": secret, "X-Rodata-Key": secret,
		"Referer": "https://app.example.ro/?token=" + secret, "Cookie": "better-auth.session_token=" + secret,
	} {
		get("/v1/keys", map[string]string{name: value})
		get("/api/auth/get-session", map[string]string{name: value})
	}

	post("/api/auth/sign-in/email", `{"email":"ana@example.ro","password":"`+secret+`x"}`, false)
	post("/api/auth/sign-up/email", `{"password":"`+secret, false)
	post("/api/auth/reset-password", `{"token":"`+secret+`","newPassword":"`+secret+`"}`, false)
	post("/api/auth/revoke-session", `{"token":"`+secret+`"}`, false)
	post("/v1/contact", `{"email":"`+secret+`"}`, true)
	post("/v1/keys", `{"`+secret+`":1}`, true) // sent to the key's holder, who is authenticated by the header
	for _, params := range []string{
		`{"name":"get_company","arguments":{"cui":"` + secret + `"}}`, `{"name":"` + secret + `"}`,
		`{"name":"get_company","_meta":{"key":"` + secret + `"}}`,
	} {
		post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`, true)
	}

	return all
}

// encoded percent-encodes a text's punctuation.
func encoded(text string) string {
	return strings.NewReplacer("_", "%5F", "-", "%2d").Replace(text)
}

// misplaced are attempts with a key, which is recognised anywhere.
func misplaced(key string) []attempt {
	return append(attempts(key), attempt{"GET", "/" + key, request{}, false},
		attempt{"GET", "/api/auth/" + key, request{}, false},
		attempt{"DELETE", "/v1/keys/" + key, request{}, false}, attempt{"GET", "/v1/companies/" + key, request{}, true},
		attempt{"GET", "/v1/companies?q=" + key, request{}, true},
		attempt{"GET", "/" + encoded(key), request{}, false},
		attempt{"GET", "/" + encoded(encoded(key)), request{}, false},
		attempt{"GET", "/" + strings.ReplaceAll(encoded(key), "%", "%25"), request{}, false},
		attempt{"GET", "/docs?q=" + encoded(key), request{}, false},
		attempt{"GET", "/docs?lang=ro%20" + encoded(key), request{}, false},
		attempt{"GET", "/" + strings.Replace(key, "_live_", "_LIVE_", 1), request{}, false},
		attempt{"GET", "/docs", request{header: map[string]string{
			"User-Agent": "exemplu/1.0 " + key, "Accept-Language": encoded(key), "X-Request-Id": key,
		}}, false})
}

// No secret of an operator or of a caller is in a log, a metric, an answer of the admin API, or on disk.
func TestSecretsStaySecret(t *testing.T) {
	secrets := planted{
		"pepper": "planted-pepper-0123456789", "mail password": "planted-mail-0123456789",
		"GitHub's secret": "planted-github-0123456789",
		"Stripe's key":    "sk_test_planted0123456789", "password": "planted-password-0123456789",
	}
	log := filepath.Join(t.TempDir(), "log.json")
	var admin gateway
	g := start(t, withAdmin(t, &admin), withCaddysLog(t), logTo(log), secrets.configure(t), func(g *gateway) {
		for _, l := range g.config["logging"].(object)["logs"].(object) {
			l.(object)["level"] = "DEBUG"
		}
	})
	id, key := operator{t, &admin}.opens("pro")
	cookie := g.signUp(t, "ana@example.ro", secrets["password"])
	_, session, _ := strings.Cut(cookie, "=")
	token, _, _ := strings.Cut(session, ".")
	secrets["key"], secrets["session"] = key, token
	_, secrets["key's digits"], _ = strings.Cut(key, "_live_") // the rest may be encoded

	for _, r := range []request{bearer(key, ""), {header: map[string]string{"Cookie": cookie}}} {
		if got := g.do(t, "GET", "/v1/keys", r); got.StatusCode != 200 {
			t.Errorf("the secret is not one: got %d %s", got.StatusCode, got.body)
		}
	}

	g.do(t, "POST", "/v1/contact",
		request{body: `{"name":"Ana Exemplu","email":"ana@example.ro","message":"Bună ziua, o întrebare."}`,
			header: map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + key,
				"Cookie": cookie}})
	all := slices.Concat(misplaced(key), attempts(token), attempts(secrets["password"]))
	for _, a := range all {
		got := g.do(t, a.method, a.path, a.request)
		if names := secrets.found(got.body); len(names) > 0 && !a.repeated {
			t.Errorf("%s %s %v: %v in %d %s", a.method, a.path, a.header, names, got.StatusCode, got.body)
		}
	}

	shown := map[string][]byte{}
	for _, path := range []string{
		"/config/", "/metrics", "/readyz", "/rodata/sources", "/rodata/queue", "/rodata/plans",
		"/rodata/accounts/" + id,
		"/rodata/accounts/" + id + "/keys",
	} {
		shown[path] = admin.get(t, path).body
	}

	for _, secret := range secrets { // the admin API has a separate log
		admin.do(t, "GET", "/rodata/plans?token="+url.QueryEscape(secret),
			request{header: map[string]string{"X-Auth-Token": secret, "X-Api-Key": secret}})
	}

	shown["/rodata/accounts/find"] = admin.do(t, "POST", "/rodata/accounts/find", request{body: "{}"}).body
	if config := string(shown["/config/"]); !strings.Contains(config, "{env.RODATA_SECRET}") ||
		!strings.Contains(config, "{env.RODATA_SMTP_URL}") {
		t.Errorf("the configuration is shown as %s", config)
	}
	if err := caddy.Stop(); err != nil { // writes the rest, and closes the store
		t.Fatal(err)
	}

	logged, err := os.ReadFile(log)
	testkit.NoError(t, err)

	for _, log := range []string{"handled request", "rodata.access"} {
		if n := bytes.Count(logged, []byte(log)); n < len(all) {
			t.Errorf("%d requests are in the log of %q, and %d were sent", n, log, len(all))
		}
	}

	shown["log"] = logged
	for where, text := range shown {
		if names := secrets.found(text); len(names) > 0 {
			t.Errorf("%v in %s", names, where)
			for line := range bytes.Lines(text) {
				if len(secrets.found(line)) > 0 {
					t.Logf("%s", line)
				}
			}
		}
	}

	secrets.notIn(t, os.Getenv("RODATA_DATA_DIR"))
}

// notIn searches the files of a directory for secrets.
func (p planted) notIn(t *testing.T, dir string) {
	t.Helper()
	for file, names := range p.in(t, dir) {
		t.Errorf("%v in %s", names, file)
	}
}

// in returns the names of the secrets that the files of a directory contain.
func (p planted) in(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, found := 0, map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // a file that was deleted meanwhile
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}

		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}

		files++
		if names := p.found(text); len(names) > 0 {
			found[entry.Name()] = names
		}

		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files were read: %v", files, err)
	}

	return found
}

// What a deleted user had stored is in no file of the data directory, neither while the gateway runs nor afterwards.
func TestDeletedUsersAreInNoFile(t *testing.T) {
	server := mailserver.Start(t, mailserver.Options{})
	g := start(t, mailTo(server.Address()))
	marks := planted{
		"address": "planted-address@exemplu.example", "name": "PLANTED-NAME", "key": "PLANTED-KEY",
		"list": "PLANTED-LIST", "reference": "PLANTED-REFERENCE", "webhook": "planted-webhook",
		"cell": "PLANTED-CELL", "column": "PLANTED-COLUMN", "job": "PLANTED-JOB",
		"message": "PLANTED-MESSAGE",
	}
	cookie := g.signUpByMail(t, server, marks["name"], marks["address"])
	send := func(method, path, media, body string) answer {
		t.Helper()
		got := g.do(t, method, path, request{body: body, header: map[string]string{
			"Content-Type": media, "Origin": g.url, "Cookie": cookie, "Prefer": "wait=30",
		}})
		if got.StatusCode >= 300 {
			t.Fatalf("%s %s: got %d %s", method, path, got.StatusCode, got.body)
		}

		return got
	}

	const asJSON = "application/json"
	send("POST", "/v1/keys", asJSON, `{"name":"`+marks["key"]+`"}`)
	send("POST", "/v1/watchlists", asJSON, `{"name":"`+marks["list"]+`"}`)
	var table, file strings.Builder
	for i, id := range numbers(t, 20) {
		fmt.Fprintf(&table, "%s;%s-%d\n", id, marks["reference"], i)
	}

	send("POST", "/v1/watchlists/default/companies", "text/csv", "cui;reference\n"+table.String())
	send("POST", "/v1/webhooks", asJSON, `{"url":"https://receiver.example/`+marks["webhook"]+`"}`)
	for i := range 3000 {
		fmt.Fprintf(&file, "?%d;%s-%d\n", i, marks["cell"], i)
	}

	job := send("POST", "/v1/jobs?column=cui&name="+marks["job"], "text/csv",
		"cui;"+marks["column"]+"\n9900000010;x\n"+file.String())
	send("GET", "/v1/jobs/"+job.job(t).ID+"/result?format=ndjson", "", "")
	send("POST", "/v1/contact", asJSON, `{"name":"`+marks["name"]+`","email":"`+marks["address"]+`","message":"`+
		marks["message"]+`"}`)
	dir := os.Getenv("RODATA_DATA_DIR")
	planted := map[string]bool{}
	for _, names := range marks.in(t, dir) {
		for _, name := range names {
			planted[name] = true
		}
	}
	if len(planted) != len(marks) {
		t.Fatalf("the search finds only %v", planted)
	}

	send("POST", "/api/auth/delete-user", asJSON, `{"password":"o parolă lungă"}`)
	for deadline := time.Now().Add(time.Minute); len(marks.in(t, dir)) > 0 && time.Now().Before(deadline); {
		<-time.After(50 * time.Millisecond)
	}

	marks.notIn(t, dir)
	testkit.NoError(t, caddy.Stop())

	marks.notIn(t, dir)
}
