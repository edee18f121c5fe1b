package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// posted posts JSON to the site and returns the status.
func posted(t *testing.T, address string, fields map[string]string) int {
	t.Helper()
	body, err := json.Marshal(fields)
	testkit.NoError(t, err)

	res, err := http.Post(address, "application/json", bytes.NewReader(body))
	testkit.NoError(t, err)

	res.Body.Close()
	return res.StatusCode
}

// Without mail, an operator opens an account and gives its owner a link, and the owner sets a password and signs in.
func TestOwnerSetsAPassword(t *testing.T) {
	t.Setenv("RODATA_SIGN_UP", "closed")
	admin, site := runWithAdmin(t)
	o := operator{t, admin}
	id := o.types("accounts", "create", "--email", "ana@example.ro")
	link := o.types("accounts", "password-link", "ana@example.ro")
	u, err := url.Parse(link)
	if err != nil || u.Path != "/dashboard/reset" {
		t.Fatalf("the link is %q, %v", link, err)
	}

	const password = "o parolă inventată"
	set := map[string]string{"token": u.Query().Get("token"), "newPassword": password}
	for i, want := range []int{http.StatusOK, http.StatusBadRequest} { // it works once
		if got := posted(t, site+"/api/auth/reset-password", set); got != want {
			t.Errorf("setting the password, time %d: got %d", i+1, got)
		}
	}

	if got := posted(t, site+"/api/auth/sign-in/email",
		map[string]string{"email": "ana@example.ro", "password": password}); got != http.StatusOK {
		t.Errorf("signing in: got %d", got)
	}
	if got := o.types("accounts", "password-link", id,
		"--json"); !strings.HasPrefix(got, `{"url":"/dashboard/reset?token=`) {
		t.Errorf("got %s", got)
	}

	for range 3 { // and the two above
		o.types("accounts", "password-link", id)
	}

	o.fails("as many links for a new password", "accounts", "password-link", id)

	if got := o.types("accounts", "set-email", "ana@example.ro",
		"Ana.Noua@example.ro"); got != "account "+id+" belongs to ana.noua@example.ro" {
		t.Errorf("got %q", got)
	}
	if got := posted(t, site+"/api/auth/sign-in/email",
		map[string]string{"email": "ana.noua@example.ro", "password": password}); got != http.StatusOK {
		t.Errorf("signing in with the other address: got %d", got)
	}
}

// If a squatter has signed up with the owner's address, using the link revokes what the squatter has set up, such as
// keys. Keys that the operator has issued for the owner stay.
func TestPasswordLinkRevokesSquattersKeys(t *testing.T) {
	admin, site := runWithAdmin(t)
	o := operator{t, admin}
	if got := posted(t, site+"/api/auth/sign-up/email",
		map[string]string{"email": "ana@example.ro", "name": "Ana",
			"password": "parola altcuiva"}); got != http.StatusOK {
		t.Fatalf("signing up: got %d", got)
	}

	id := o.types("accounts", "create", "--email", "ion@example.ro")
	for owner, alive := range map[string]bool{"ana@example.ro": false, id: true} {
		key := o.types("keys", "issue", owner, "--name", "ERP")
		u, err := url.Parse(o.types("accounts", "password-link", owner))
		testkit.NoError(t, err)

		set := map[string]string{"token": u.Query().Get("token"), "newPassword": "o parolă inventată"}
		if got := posted(t, site+"/api/auth/reset-password", set); got != http.StatusOK {
			t.Errorf("setting the password: got %d", got)
		}

		if got := status(t, site+"/v1/usage", key); (got == http.StatusOK) != alive {
			t.Errorf("the key of %s is answered with %d", owner, got)
		}
	}
}

func TestMissingOwners(t *testing.T) {
	admin, _ := runWithAdmin(t)
	o := operator{t, admin}
	o.types("accounts", "create", "--email", "ana@example.ro")
	o.types("accounts", "create", "--email", "ion@example.ro")
	nobodys, closed := o.types("accounts", "create"), o.types("accounts", "create", "--email", "plecata@example.ro")
	o.types("accounts", "close", closed)
	for _, c := range []struct {
		want  string
		words []string
	}{
		{"this account has no owner", []string{"accounts", "password-link", nobodys}},
		{"this account has no owner", []string{"accounts", "set-email", nobodys, "x@example.ro"}},
		{"no open account with that id", []string{"accounts", "password-link", closed}},
		{"no open account with that id", []string{"accounts", "password-link", "unknown"}},
		{"no account has the address", []string{"accounts", "password-link", "nobody@example.ro"}},
		{"another account has this e-mail address",
			[]string{"accounts", "set-email", "ana@example.ro", "ion@example.ro"}},
		{"email: must be an e-mail address", []string{"accounts", "set-email", "ana@example.ro", "ana"}},
	} {
		o.fails(c.want, c.words...)
	}
}
