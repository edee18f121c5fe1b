package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/loopback"
)

// operator types commands for one gateway.
type operator struct {
	*testing.T
	admin string
}

// types runs a command and returns its output, without the final newline.
func (o operator) types(words ...string) string {
	o.Helper()
	out, err := runOperator(words[0], append(words[1:], "--address", o.admin)...)
	if err != nil {
		o.Errorf("%v: %v", words, err)
	}

	return strings.TrimSuffix(out, "\n")
}

// fails runs a command that must fail with an error that contains want.
func (o operator) fails(want string, words ...string) {
	o.Helper()
	out, err := runOperator(words[0], append(words[1:], "--address", o.admin)...)
	if err == nil || !strings.Contains(err.Error(), want) {
		o.Errorf("%v: got %v, want it to say %q; printed %s", words, err, want, out)
	}
}

// status sends a request with a key, and returns the status of the response.
func status(t *testing.T, url, key string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	testkit.NoError(t, err)

	r.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)

	res.Body.Close()
	return res.StatusCode
}

var idShape = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestAccountCommands(t *testing.T) {
	admin, site := runWithAdmin(t)
	o := operator{t, admin}
	id := o.types("accounts", "create")
	if !idShape.MatchString(id) {
		t.Fatalf("opened %q", id)
	}

	key := o.types("keys", "issue", id, "--name", "ERP")
	if !regexp.MustCompile(`^rodata_live_[0-9A-Za-z]{38}$`).MatchString(key) {
		t.Fatalf("issued %q", key)
	}
	if got := status(t, site+"/v1/keys", key); got != http.StatusOK {
		t.Errorf("the key is answered %d", got)
	}

	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"accounts", "list"}, id + "  free  "},
		{[]string{"accounts", "list", "--query", id[:8]}, id},
		{[]string{"accounts", "list", "--query", "pro"}, "ACCOUNT  PLAN  OPENED  CLOSED  E-MAIL  NAME"},
		{[]string{"accounts", "list", "--json"}, `[{"id":"` + id + `","plan":"free","createdAt":"20`},
		{[]string{"accounts", "set-plan", id, "pro"}, "account " + id + " is on the plan pro"},
		{[]string{"accounts", "give-credits", id, "500"}, "account " + id + " has 500 more credits in 20"},
		{[]string{"accounts", "show", id}, "0 used; 500 given"},
		{[]string{"accounts", "show", id}, "ERP"},
		{[]string{"accounts", "show", id, "--json"}, `"creditsUsed":0,"creditsGiven":500,"keys":[{"id":"`},
		{[]string{"keys", "list", id}, key[:16] + "  " + key[len(key)-4:]},
		{[]string{"keys", "list", id, "--json"}, `"last4":"` + key[len(key)-4:] + `"`},
		{[]string{"plans", "list"}, "pro         Pro         50000      20    60     79.00"},
		{[]string{"plans", "list", "--json"}, `{"code":"enterprise","name":"Enterprise","monthlyCredits":-1,`},
	} {
		got := o.types(c.words...)
		if !strings.Contains(got, c.want) {
			t.Errorf("%v: no %q in\n%s", c.words, c.want, got)
		}
		if strings.Contains(got, key) {
			t.Errorf("%v shows the key", c.words)
		}
	}

	var made struct{ ID, Key string }
	if err := json.Unmarshal([]byte(o.types("keys", "issue", id, "--name", "Raport", "--json")), &made); err != nil ||
		made.Key == "" {
		t.Fatalf("%+v, %v", made, err)
	}
	if got := o.types("keys", "revoke", id, made.ID); got != "key "+made.ID+" is revoked" {
		t.Errorf("got %q", got)
	}
	if got := status(t, site+"/v1/keys", made.Key); got != http.StatusUnauthorized {
		t.Errorf("the revoked key is answered %d", got)
	}

	o.fails("no active key with that id", "keys", "revoke", id, made.ID)
	if got := o.types("accounts", "close", id, "--json"); got != `{"done":true}` {
		t.Errorf("got %q", got)
	}
	if got := status(t, site+"/v1/keys", key); got != http.StatusUnauthorized {
		t.Errorf("a key of the closed account is answered %d", got)
	}

	o.fails("no open account with that id", "accounts", "close", id)
	o.fails("no open account with that id", "keys", "issue", id, "--name", "ERP")
}

func TestAccountsByAddress(t *testing.T) {
	admin, _ := runWithAdmin(t)
	o := operator{t, admin}
	id := o.types("accounts", "create", "--email", "Ana@Example.ro", "--plan", "starter", "--name", "Ana Exemplu")
	if got := o.types("accounts", "show", "ana@example.ro"); !strings.Contains(got, id) ||
		!strings.Contains(got, "starter") || !strings.Contains(got, "ana@example.ro  Ana Exemplu") {
		t.Errorf("shown as\n%s", got)
	}

	o.fails("another account has this e-mail address", "accounts", "create", "--email", "ana@example.ro")
	o.types("keys", "issue", "ANA@example.ro", "--name", "ERP")
	o.types("accounts", "close", "ana@example.ro")
	if got := o.types("accounts", "list", "--query", "ana@example.ro", "--json"); got != "[]" {
		t.Errorf("of who has left there is %s", got)
	}
	if again := o.types("accounts", "create", "--email", "ana@example.ro"); again == id || !idShape.MatchString(again) {
		t.Errorf("signed up again as %q", again)
	}
}

func TestConsentOfAnAccount(t *testing.T) {
	admin, site := runWithAdmin(t)
	o := operator{t, admin}
	signUp(t, site, `{"name":"Ana Exemplu","email":"ana@example.ro","password":"o parolă lungă","consent":"4f2a9c00"}`)
	signUp(t, site, `{"name":"Ion Exemplu","email":"ion@example.ro","password":"o parolă lungă"}`)

	today := time.Now().UTC().Format(time.DateOnly)
	got := o.types("accounts", "show", "ana@example.ro")
	if want := "Terms and privacy statement 4f2a9c00 accepted on " + today + "."; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if got := o.types("accounts", "show", "ana@example.ro",
		"--json"); !strings.Contains(got, `"consent":"4f2a9c00","consentedAt":"`+today) {
		t.Errorf("shown as\n%s", got)
	}
	if got := o.types("accounts", "show", "ion@example.ro"); strings.Contains(got, "Terms") {
		t.Errorf("somebody who was not asked is shown as\n%s", got)
	}
}

// signUp creates a user, as a page of the site does.
func signUp(t *testing.T, site, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", site+"/api/auth/sign-up/email", strings.NewReader(body))
	testkit.NoError(t, err)

	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", site)
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)
	defer res.Body.Close()

	if text, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
		t.Fatalf("got %s %s", res.Status, text)
	}
}

func TestAccountMistakes(t *testing.T) {
	admin, _ := runWithAdmin(t)
	o := operator{t, admin}
	id := o.types("accounts", "create")
	for range 20 {
		o.types("keys", "issue", id, "--name", "ERP")
	}

	for _, c := range []struct {
		want  string
		words []string
	}{
		{"there are: free, starter, pro, enterprise", []string{"accounts", "create", "--plan", "gold"}},
		{"there are: free, starter, pro, enterprise", []string{"accounts", "set-plan", id, "gold"}},
		{"email: must be an e-mail address", []string{"accounts", "create", "--email", "Ana <ana@example.ro>"}},
		{"1 to 100", []string{"accounts", "list", "--limit", "101"}},
		{"no open account with that id", []string{"accounts", "show", "unknown"}},
		{"no open account with that id", []string{"accounts", "set-plan", "unknown", "pro"}},
		{"no open account with that id", []string{"accounts", "give-credits", "unknown", "5"}},
		{"no account has the address", []string{"accounts", "show", "nobody@example.ro"}},
		{"is not a number of credits", []string{"accounts", "give-credits", id, "0"}},
		{"as in: rodata accounts set-plan", []string{"accounts", "set-plan", id}},
		{"an id is empty", []string{"accounts", "show", ""}},
		{"--name ERP", []string{"keys", "issue", id}},
		{"1 to 100 characters", []string{"keys", "issue", id, "--name", " "}},
		{"revoke one first", []string{"keys", "issue", id, "--name", "one too many"}},
		{"no active key with that id", []string{"keys", "revoke", id, "unknown"}},
		{"no such file", []string{"accounts", "import", "missing.json"}},
	} {
		o.fails(c.want, c.words...)
	}

	operator{t, loopback.FreeAddress()}.fails("rodata run", "accounts", "list")
}

// scrypt is a hash in better-auth's format, of an unknown password.
var scrypt = strings.Repeat("0a", 16) + ":" + strings.Repeat("0b", 64)

func TestImport(t *testing.T) {
	admin, _ := runWithAdmin(t)
	o := operator{t, admin}
	file := filepath.Join(t.TempDir(), "users.json")
	write := func(users string) {
		t.Helper()
		testkit.NoError(t, os.WriteFile(file, []byte(users), 0o600))
	}
	write(`[{"email":"Ana@example.ro","name":"Ana Exemplu","emailVerified":1,"image":null,"createdAt":"2025-03-04T05:06:07.890Z","password":"` + scrypt + `"},
		{"email":"ion@example.ro","name":"Ion Exemplu","emailVerified":false,"plan":"pro","password":null}]`)
	for _, want := range []string{"2 accounts opened; 0 already existed", "0 accounts opened; 2 already existed"} {
		if got := o.types("accounts", "import", file); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}

	if got := o.types("accounts", "show", "ana@example.ro"); !strings.Contains(got, "free  2025-03-04") {
		t.Errorf("imported as\n%s", got)
	}

	write(`[{"email":"new@example.ro"},{"email":"none"},{"email":"odd@example.ro","password":"plain"}]`)
	o.fails("2: email: must be an e-mail address", "accounts", "import", file)
	o.fails("3: importing a user: the password hash", "accounts", "import", file)
	if got := o.types("accounts", "list", "--query", "new@example.ro"); !strings.Contains(got, "new@example.ro") {
		t.Errorf("one bad user kept the others out:\n%s", got)
	}

	write(`{"email":"ana@example.ro"}`)
	o.fails("a JSON array of users", "accounts", "import", file)
}
