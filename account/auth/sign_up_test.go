package auth

import (
	"errors"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

func TestSignUpMakesAnAccount(t *testing.T) {
	s := newSite(t, open)
	b := s.browser(t)
	r := b.want(b.post("/sign-up/email", "name", " Ana Exemplu ", "email", "ANA@Exemplu.example", "password", parola),
		200, nil)
	user := r.json["user"].(map[string]any)
	if user["email"] != ana || user["name"] != "Ana Exemplu" || user["emailVerified"] != false || user["image"] != nil {
		t.Errorf("got %v", user)
	}

	u, _, err := s.db.UserByEmail(t.Context(), ana)
	testkit.NoError(t, err)
	testkit.Equal(t, testkit.Must(s.db.Account(t.Context(), u.Account)).Plan, "free", "the account")
	if !b.isSignedIn() {
		t.Error("the user is not signed in")
	}

	taken := b.want(b.post("/sign-up/email", "name", "Alta", "email", ana, "password", parola), 422,
		"USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL")
	if taken.json["type"] != siteURL+"/problems/email-taken" || taken.json["title"] != "E-mail address taken" {
		t.Errorf("got %s", taken.text)
	}
}

// The owner of an address is told that somebody signed up with it, once a day.
func TestOwnerIsToldOfSignUps(t *testing.T) {
	s := newSite(t, nil)
	s.member(t, ana)
	b := s.browser(t)
	for range 2 {
		b.want(b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola), 200, nil)
	}

	mails := s.to(ana) // the link, and two notices
	if len(mails) != 3 || mails[1].ID != mails[2].ID || mails[0].ID == mails[1].ID ||
		strings.Contains(mails[1].Text, "https:") {
		t.Errorf("got %+v", mails)
	}

	b.want(b.post("/sign-in/email", "email", ana, "password", parola), 200, nil) // nothing has changed for the owner
}

func TestInvalidSignUpIsRejected(t *testing.T) {
	s := newSite(t, open)
	for name, c := range map[string]struct {
		change any
		code   string
	}{
		"email":    {"ana", "VALIDATION_ERROR"},
		"name":     {" ", "VALIDATION_ERROR"},
		"password": {"scurtă", "PASSWORD_TOO_SHORT"},
		"common":   {"Password", "PASSWORD_COMPROMISED"},
		"image":    {"javascript:alert(1)", "VALIDATION_ERROR"},
	} {
		fields := map[string]any{"name": "Ana", "email": ana, "password": parola, "image": nil}
		if name == "common" {
			name = "password"
		}
		fields[name] = c.change
		var pairs []any
		for field, value := range fields {
			pairs = append(pairs, field, value)
		}

		b := s.browser(t)
		b.want(b.post("/sign-up/email", pairs...), 400, c.code)
	}

	if _, _, err := s.db.UserByEmail(t.Context(), ana); !errors.Is(err, account.ErrNoUser) {
		t.Errorf("there is a user: %v", err)
	}
}

func TestEmails(t *testing.T) {
	for text, want := range map[string]bool{
		"ana@exemplu.example": true, "A.N+a_1'x-@sub.exemplu-1.ro": true,
		"": false, "ana": false, "@exemplu.ro": false, "ana@exemplu": false, ".ana@exemplu.ro": false,
		"a..b@exemplu.ro":               false,
		"ana@exemplu.ro\r\nBcc: x@y.ro": false, "ana @exemplu.ro": false, "ană@exemplu.ro": false, "a@b@c.ro": false,
		strings.Repeat("a", 250) + "@b.ro": false, "<ana@exemplu.ro>": false, "ana@exemplu.ro,x@y.ro": false,
	} {
		if _, got := readEmail(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestNamesOfThoseWhoWereNotAsked(t *testing.T) {
	for name, want := range map[string]string{
		" Ana\r\nExemplu ": "AnaExemplu", "": "ana", strings.Repeat("ș", 200): strings.Repeat("ș", maxName),
	} {
		testkit.Equal(t, nameFor(ana, name), want, "%q", name)
	}
}
