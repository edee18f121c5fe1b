package auth

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

func TestConsentBySignUp(t *testing.T) {
	s := newSite(t, open)
	sign := func(email string, more ...any) reply {
		return s.browser(t).post("/sign-up/email",
			append([]any{"name", "Ana", "email", email, "password", parola}, more...)...)
	}
	b := s.browser(t)
	b.want(sign(ana, "consent", "4f2a9c00"), 200, nil)
	b.want(sign("program@exemplu.example"), 200, nil)
	b.want(sign("other@exemplu.example", "consent", "<b>"), 400, "VALIDATION_ERROR")
	s.accepted(t, ana, "4f2a9c00")
	s.accepted(t, "program@exemplu.example", "")
}

// accepted fails the test unless a user has accepted the given version, or none if it is empty.
func (s *site) accepted(t testing.TB, email, version string) {
	t.Helper()
	if u := s.user(t, email); u.Consent != version || u.ConsentedAt.IsZero() != (version == "") {
		t.Errorf("%s accepted %q on %s, not %q", email, u.Consent, u.ConsentedAt, version)
	}
}

// The page that creates the account says what its button accepts.
func TestConsentByMagicLink(t *testing.T) {
	const notice = `<a href="/about/terms"`
	s := newSite(t, nil)
	b := s.browser(t)
	for email, version := range map[string]string{ana: "4f2a9c00", "program@exemplu.example": ""} {
		b.want(b.post("/sign-in/magic-link", "email", email, "consent", version), 200, nil)
		page := b.get(s.link(t, email))
		testkit.Equal(t, strings.Contains(page.text, notice), version != "", "%s: the notice is shown %s", email,
			page.text)

		b.press(page)
		s.accepted(t, email, version)
	}

	b.want(b.post("/sign-in/magic-link", "email", ana, "consent", "later"), 200, nil)
	page := b.get(s.link(t, ana))
	if strings.Contains(page.text, notice) {
		t.Error("an existing user is told that an account will be created")
	}

	b.press(page)
	s.accepted(t, ana, "4f2a9c00")
	b.want(b.post("/sign-in/magic-link", "email", ana, "consent", "<b>"), 400, "VALIDATION_ERROR")
}

// A link records no consent if it was requested without consent, or is used by a program.
func TestConsentNeedsTheNotice(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	b.want(b.post("/sign-in/magic-link", "email", ana, "consent", "4f2a9c00"), 200, nil)
	b.get(wire(s.link(t, ana)))
	s.accepted(t, ana, "")
}

func TestConsentByProvider(t *testing.T) {
	for _, provider := range []string{"github", "google"} {
		s, e := socialSite(t)
		b := s.browser(t)
		b.want(b.get("/callback/"+provider+"?code=good1&state="+b.leave(e, provider, "consent", "4f2a9c00")), 302, nil)
		s.accepted(t, ana, "4f2a9c00")
		b.want(b.get("/callback/"+provider+"?code=good2&state="+b.leave(e, provider, "consent", "later")), 302, nil)
		s.accepted(t, ana, "4f2a9c00")
		b.want(b.post("/sign-in/social", "provider", provider, "consent", "<b>"), 400, "VALIDATION_ERROR")
	}
}
