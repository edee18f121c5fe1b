package auth

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

func TestUnverifiedAddress(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola)
	b.want(b.post("/sign-in/email", "email", ana, "password", "alta parolă"), 401, "INVALID_EMAIL_OR_PASSWORD")
	b.want(b.post("/sign-in/email", "email", ana, "password", parola), 403, "EMAIL_NOT_VERIFIED")
	testkit.Equal(t, len(s.to(ana)), 2, "mails")

	for range 10 {
		b.post("/sign-in/email", "email", ana, "password", parola)
	}
	testkit.Equal(t, len(s.to(ana)), maxLinks, "mails")
}

func TestSessionCookie(t *testing.T) {
	for name, c := range map[string]struct {
		base     string
		remember bool
		want     []string
	}{
		"https": {"https://rodata.example", true,
			[]string{"__Host-better-auth.session_token=",
				"; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Lax"}},
		"http": {"http://rodata.example", true,
			[]string{"better-auth.session_token=", "; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax"}},
		"not remembered": {"https://rodata.example", false,
			[]string{"__Host-better-auth.session_token=", "; Path=/; HttpOnly; Secure; SameSite=Lax"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, func(o *Options) { open(o); o.BaseURL = func(*http.Request) string { return c.base } })
			b := s.browser(t)
			b.header.Set("Origin", c.base)
			b.want(b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola), 200, nil)
			r := b.want(b.post("/sign-in/email", "email", ana, "password", parola, "rememberMe", c.remember), 200,
				nil)
			cookie := r.Header["Set-Cookie"][0]
			if !strings.HasPrefix(cookie, c.want[0]) || !strings.HasSuffix(cookie, c.want[1]) {
				t.Errorf("got %s", cookie)
			}
			if brief := len(r.Header["Set-Cookie"]) == 2; brief == c.remember {
				t.Errorf("got %v", r.Header["Set-Cookie"])
			}
		})
	}
}
