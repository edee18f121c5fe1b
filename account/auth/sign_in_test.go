package auth

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/crypto/scrypt"

	"github.com/rodata/rodata/account"
)

func TestWrongPasswordAndUnknownUserAreAlike(t *testing.T) {
	s := newSite(t, nil)
	s.member(t, ana)
	b := s.browser(t)
	wrong := b.want(b.post("/sign-in/email", "email", ana, "password", "alta parolă"), 401, "INVALID_EMAIL_OR_PASSWORD")
	unknown := b.want(b.post("/sign-in/email", "email", "nimeni@exemplu.example", "password", password), 401, "INVALID_EMAIL_OR_PASSWORD")
	if wrong.text != unknown.text {
		t.Errorf("%s\n%s", wrong.text, unknown.text)
	}
}

// A hash is checked whether or not there is a user, so both take as long.
func TestNobodysHashCostsTheSame(t *testing.T) {
	p := newPasswords()
	if !strings.HasPrefix(p.nobody, argonPrefix) {
		t.Errorf("nobody's hash is %s", p.nobody)
	}
	for name, hash := range map[string]string{"nobody's": "", "a user's": p.nobody} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p.check(t.Context(), hash, "o parolă")
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took < argonMemory<<10 {
			t.Errorf("%s password took %d bytes: no hash was made", name, took)
		}
	}
	if right, err := p.check(t.Context(), "", ""); right || err != nil {
		t.Errorf("the empty hash matches: %v, %v", right, err)
	}
}

func TestUnverifiedAddress(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	b.post("/sign-up/email", "name", "Ana", "email", ana, "password", password)
	b.want(b.post("/sign-in/email", "email", ana, "password", "alta parolă"), 401, "INVALID_EMAIL_OR_PASSWORD")
	b.want(b.post("/sign-in/email", "email", ana, "password", password), 403, "EMAIL_NOT_VERIFIED")
	if n := len(s.to(ana)); n != 2 {
		t.Errorf("%d mails, want the link twice", n)
	}
	for range 10 {
		b.post("/sign-in/email", "email", ana, "password", password)
	}
	if n := len(s.to(ana)); n != maxLetters {
		t.Errorf("%d mails, want no more than %d", n, maxLetters)
	}
}

func TestSessionCookie(t *testing.T) {
	for name, c := range map[string]struct {
		base     string
		remember bool
		want     []string
	}{
		"https":          {"https://rodata.example", true, []string{"__Secure-better-auth.session_token=", "; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Lax"}},
		"http":           {"http://rodata.example", true, []string{"better-auth.session_token=", "; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax"}},
		"not remembered": {"https://rodata.example", false, []string{"__Secure-better-auth.session_token=", "; Path=/; HttpOnly; Secure; SameSite=Lax"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, func(o *Options) { open(o); o.BaseURL = func(*http.Request) string { return c.base } })
			b := s.browser(t)
			b.header.Set("Origin", c.base)
			b.want(b.post("/sign-up/email", "name", "Ana", "email", ana, "password", password), 200, nil)
			r := b.want(b.post("/sign-in/email", "email", ana, "password", password, "rememberMe", c.remember), 200, nil)
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

// A hash that better-auth made counts, and is replaced by a better one.
func TestImportedHash(t *testing.T) {
	s := newSite(t, nil)
	salt := hex.EncodeToString([]byte("0123456789abcdef"))
	// Its passwords are normalised: ș here is s with a comma below it.
	key, err := scrypt.Key([]byte("o parolă cu ș"), []byte(salt), scryptN, scryptR, scryptP, scryptKey)
	if err != nil {
		t.Fatal(err)
	}
	imported := account.User{Email: ana, EmailVerified: true, Name: "Ana"}
	if _, err := s.db.ImportUser(t.Context(), imported, salt+":"+hex.EncodeToString(key), "starter"); err != nil {
		t.Fatal(err)
	}
	b := s.browser(t)
	b.want(b.post("/sign-in/email", "email", ana, "password", "o parola cu s"), 401, "INVALID_EMAIL_OR_PASSWORD")
	for range 2 {
		b.want(b.post("/sign-in/email", "email", ana, "password", "o parolă cu s\u0326"), 200, nil)
		if _, hash, err := s.db.UserByEmail(t.Context(), ana); err != nil || outdated(hash) {
			t.Errorf("the hash is %s, %v", hash, err)
		}
	}
	if _, err := s.db.ImportUser(t.Context(), imported, "", "starter"); !errors.Is(err, account.ErrEmailTaken) {
		t.Errorf("imported twice: %v", err)
	}
	if _, err := s.db.ImportUser(t.Context(), account.User{Email: "b@exemplu.example"}, "$2b$10$x", "starter"); err == nil {
		t.Error("a hash of another form was imported")
	}
}

func TestHashesThatAreNone(t *testing.T) {
	p := newPasswords()
	for _, hash := range []string{"x", "$", "$argon2id$v=19$m=19456,t=2,p=1$$", "$argon2id$v=19$m=19456,t=0,p=1$AAAA$AAAA", "$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA",
		"$argon2id$v=16$m=19456,t=2,p=1$AAAA$AAAA", ":", "00:00", "00:zz"} {
		if right, err := p.check(t.Context(), hash, ""); right || err != nil {
			t.Errorf("%s: %v, %v", hash, right, err)
		}
	}
}

// Few hashes are made at a time; who waits too long for their turn is told so.
func TestHashesWaitTheirTurn(t *testing.T) {
	p := newPasswords()
	for range cap(p.turns) {
		p.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.hash(ctx, password); !errors.Is(err, ctx.Err()) {
		t.Errorf("got %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		p := newPasswords()
		for range cap(p.turns) {
			p.turns <- struct{}{}
		}
		if _, err := p.check(t.Context(), "", password); err != errBusy {
			t.Errorf("got %v", err)
		}
	})
}
