package auth

import (
	"errors"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

// unverified lets users sign in before they have verified their address.
func unverified(o *Options) { o.RequireVerification = false }

// issueKey creates an API key for the account of an address. The function that it returns reports whether the key is
// still accepted.
func (s *site) issueKey(t *testing.T, email string) (accepted func() bool) {
	t.Helper()
	keys := account.NewDirectory(s.db, s.Secret, account.DefaultPrefix)
	t.Cleanup(s.db.Watch(keys.Forget))
	_, secret, err := keys.Issue(t.Context(), account.Key{Account: s.user(t, email).Account, Name: "cheie"})
	testkit.NoError(t, err)

	return func() bool {
		_, err := keys.Key(t.Context(), secret)
		if err != nil && !errors.Is(err, account.ErrUnknownKey) {
			t.Error(err)
		}
		return err == nil
	}
}

// TestOpeningALinkChangesNothing verifies that opening a link in a mail changes nothing, however often it is opened:
// malware scanners do that. Only the button on the page has an effect.
func TestOpeningALinkChangesNothing(t *testing.T) {
	const next = "ana.noua@exemplu.example"
	for name, c := range map[string]struct {
		ask     func(b *browser)
		to      string
		changed func(b *browser) bool
	}{
		"verify": {func(b *browser) {}, ana, func(b *browser) bool { return b.user(b.t, ana).EmailVerified }},
		"sign in": {func(b *browser) { b.want(b.post("/sign-in/magic-link", "email", next), 200, nil) }, next,
			func(b *browser) bool {
				_, _, err := b.db.UserByEmail(b.t.Context(), next)
				return err == nil
			}},
		"change the address": {func(b *browser) { b.want(b.post("/change-email", "newEmail", next), 200, nil) }, next,
			func(b *browser) bool {
				_, _, err := b.db.UserByEmail(b.t.Context(), next)
				return err == nil
			}},
		"agree to another address": {func(b *browser) {
			b.want(b.follow(b.link(b.t, ana)), 303, nil)
			b.want(b.post("/change-email", "newEmail", next), 200, nil)
		}, ana, func(b *browser) bool { return len(b.to(next)) > 0 }},
		"delete": {func(b *browser) { b.want(b.post("/delete-user"), 200, nil) }, ana, func(b *browser) bool {
			_, _, err := b.db.UserByEmail(b.t.Context(), ana)
			return err != nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, unverified)
			b, scanner := s.member(t, ana), s.browser(t)
			c.ask(b)
			link := s.link(t, c.to)
			for range 3 {
				for _, reader := range []*browser{scanner, b} {
					if r := reader.get(link); r.StatusCode != 200 || len(r.Header["Set-Cookie"]) != 0 {
						t.Errorf("opening it: got %d %v", r.StatusCode, r.Header)
					}
				}
			}

			if c.changed(b) {
				t.Fatal("opening the link had an effect")
			}
			if r := b.follow(link); r.StatusCode != 303 && r.StatusCode != 200 {
				t.Errorf("the button: got %d %s", r.StatusCode, r.text)
			}
			if !c.changed(b) {
				t.Error("the button had no effect")
			}
		})
	}
}

// Somebody who signed up with another person's address loses the account once the owner proves, by any means, that the
// address is theirs.
func TestSquatterLosesAccountToOwner(t *testing.T) {
	for name, enter := range map[string]func(b *browser){
		"link to sign in": func(b *browser) {
			b.post("/sign-in/magic-link", "email", ana)
			b.want(b.follow(b.link(b.t, ana)), 303, nil)
		},
		"link to sign in, by a client": func(b *browser) {
			b.post("/sign-in/magic-link", "email", ana)
			b.want(b.get(wire(b.link(b.t, ana))), 302, nil)
		},
		"new password": func(b *browser) {
			b.post("/request-password-reset", "email", ana)
			b.want(b.post("/reset-password", "token", token(b.link(b.t, ana)), "newPassword", "parola Anei"), 200, nil)
		},
		"new password, by an operator": func(b *browser) {
			link, err := b.PasswordLink(b.t.Context(), b.user(b.t, ana), "/dashboard/reset")
			if err != nil {
				b.t.Fatal(err)
			}

			b.want(b.post("/reset-password", "token", token(link), "newPassword", "parola Anei"), 200, nil)
		},
		"link to verify":              func(b *browser) { b.want(b.follow(b.link(b.t, ana)), 303, nil) },
		"link to verify, by a client": func(b *browser) { b.want(b.get(wire(b.link(b.t, ana))), 302, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, unverified)
			squatter := s.member(t, ana)
			accepted := s.issueKey(t, ana)
			squatter.want(squatter.post("/change-email", "newEmail", "squatter@exemplu.example"), 200, nil)
			prepared := s.link(t, "squatter@exemplu.example")
			enter(s.browser(t))
			if !s.user(t, ana).EmailVerified {
				t.Error("the address is not verified")
			}
			if squatter.isSignedIn() {
				t.Error("the squatter is still signed in")
			}
			if accepted() {
				t.Error("the squatter's key is still accepted")
			}

			squatter.want(squatter.post("/sign-in/email", "email", ana, "password", parola), 401,
				"INVALID_EMAIL_OR_PASSWORD")
			testkit.Equal(t, squatter.get(wire(prepared)).parameter("error"), "INVALID_TOKEN",
				"a link that the squatter requested")
			testkit.Equal(t, s.user(t, ana).Email, ana, "the address of the account")
		})
	}
}

// Users who verify their address in the browser where they are signed in keep everything that they have set up.
func TestVerifyingOnesOwnAccountKeepsIt(t *testing.T) {
	s := newSite(t, unverified)
	b := s.member(t, ana)
	accepted := s.issueKey(t, ana)
	page := b.get(s.link(t, ana))
	if strings.Contains(page.text, "API keys") {
		t.Errorf("the page warns that something will end:\n%s", page.text)
	}

	b.want(b.press(page), 303, nil)
	if !s.user(t, ana).EmailVerified || !accepted() || !b.isSignedIn() {
		t.Error("the session or the key has ended")
	}

	b.want(b.post("/sign-in/email", "email", ana, "password", parola), 200, nil)
	stranger := s.browser(t)
	if page := stranger.get(s.link(t, ana)); page.StatusCode != 200 || !strings.Contains(page.text, "is confirmed") ||
		strings.Contains(page.text, "<form") {
		t.Errorf("opened again: %d\n%s", page.StatusCode, page.text)
	}
}

// Where sign-in requires a verified address, the link belongs to the sign-up in which the password was chosen. So the
// password is kept, unless the reader says that somebody else chose it.
func TestPasswordOfTheSignUp(t *testing.T) {
	for name, c := range map[string]struct {
		button []string
		status int
		code   any
	}{
		"mine":   {nil, 200, nil},
		"not it": {[]string{"forgetPassword", "true"}, 401, "INVALID_EMAIL_OR_PASSWORD"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, nil)
			b := s.browser(t)
			b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola, "callbackURL", "/gata")
			testkit.Equal(t, b.want(b.press(b.get(s.link(t, ana)), c.button...), 303, nil).Header.Get("Location"),
				"/gata", "the target")

			b.want(b.post("/sign-in/email", "email", ana, "password", parola), c.status, c.code)
		})
	}
}

// The page describes the action in the reader's language, runs no script, and redirects only to permitted targets.
func TestConfirmationPage(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola, "callbackURL",
		"https://app.example/gata?a=1&b=2")
	link := s.link(t, ana)
	for lang, want := range map[string]string{"": "Confirm your e-mail address",
		"ro-RO,en;q=0.5": "Confirmați adresa de e-mail"} {
		reader := s.browser(t)
		reader.header.Set("Accept-Language", lang)
		page := reader.get(link)
		policy := page.Header.Get("Content-Security-Policy")
		if !strings.Contains(page.text, want) || !strings.Contains(page.text, ana) ||
			strings.Contains(page.text, "<script") {
			t.Errorf("%s: got\n%s", lang, page.text)
		}
		if !strings.HasSuffix(policy, "form-action 'self' https://app.example") ||
			!strings.Contains(policy, "default-src 'none'") || page.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %v", lang, page.Header)
		}
	}

	for path, status := range map[string]int{
		"/confirm/email?token=x": 400, "/confirm/email": 400, "/confirm/deletion?token=x": 400,
		"/confirm/sign-in?token=" + s.expire(t, forMagic, ana, ""):              401,
		"/confirm/email?token=" + s.expire(t, forEmail, s.user(t, ana).ID, ana): 401,
	} {
		if page := b.get(path); page.StatusCode != status || !strings.Contains(page.text, "Ask for a new one") ||
			strings.Contains(page.text, "<form") {
			t.Errorf("%s: got %d\n%s", path, page.StatusCode, page.text)
		}
	}

	b.want(b.get("/confirm/nothing"), 404, "NOT_FOUND")
	b.want(b.post("/confirm/nothing"), 404, "NOT_FOUND")
	b.want(b.get("/confirm/email?token=x&callbackURL=//evil.example"), 403, "INVALID_CALLBACK_URL")
	b.want(b.post("/confirm/email", "token", token(link), "callbackURL", "//evil.example"), 403, "INVALID_CALLBACK_URL")
	evil := s.browser(t)
	evil.header.Set("Origin", "https://evil.example")
	evil.want(evil.post("/confirm/email", "token", token(link)), 403, "INVALID_ORIGIN")
	testkit.Equal(t, b.press(b.get(link)).Header.Get("Location"), "https://app.example/gata?a=1&b=2", "the target")

	deletion := s.expire(t, forDeletion, "x", "")
	if r := b.post("/confirm/deletion", "token", deletion); r.StatusCode != 404 ||
		!strings.Contains(r.text, "Sign in to the account") {
		t.Errorf("without a session: got %d\n%s", r.StatusCode, r.text)
	}
}
