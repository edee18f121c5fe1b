package auth

import (
	"context"
	"encoding/hex"
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/provider"
	"github.com/rodata/rodata/testkit"
)

// expire stores an expired token for a purpose.
func (s *site) expire(t *testing.T, purpose, subject, value string) (token string) {
	t.Helper()
	token = "expired" + purpose
	testkit.NoError(t, s.db.CreateVerification(t.Context(),
		account.Verification{Purpose: purpose, Subject: subject, Value: value, ExpiresAt: time.Now().Add(-time.Second)},
		s.hash(purpose, token), account.Bound{}))

	return token
}

func (s *site) user(t testing.TB, email string) account.User {
	t.Helper()
	u, _, err := s.db.UserByEmail(t.Context(), email)
	testkit.NoError(t, err)

	return u
}

func token(link string) string {
	u, _ := url.Parse(link)
	return u.Query().Get("token")
}

func TestVerification(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola, "callbackURL", "/gata")
	link := s.link(t, ana)
	for name, c := range map[string]struct{ token, code string }{
		"unknown": {"x", "INVALID_TOKEN"},
		"empty":   {"", "INVALID_TOKEN"},
		"expired": {s.expire(t, forEmail, s.user(t, ana).ID, ana), "TOKEN_EXPIRED"},
		"another": {s.expire(t, forReset, s.user(t, ana).ID, ana), "INVALID_TOKEN"},
	} {
		testkit.Equal(t,
			b.want(b.get("/verify-email?callbackURL=/x?y=1%23z&token="+c.token), 302, nil).Header.Get("Location"),
			"/x?error="+c.code+"&y=1#z", "%s", name)

		b.want(b.get("/verify-email?token="+c.token), 401, c.code)
	}

	for range 2 { // people may click twice
		testkit.Equal(t, b.want(b.get(wire(link)), 302, nil).Header.Get("Location"), "/gata", "the target")
	}

	if !s.user(t, ana).EmailVerified {
		t.Error("the address is not verified")
	}

	b.want(b.post("/send-verification-email", "email", ana), 200, nil)
	testkit.Equal(t, len(s.to(ana)), 1, "mails")
	if b.isSignedIn() {
		t.Error("a link that verifies an address signed a user in")
	}
}

func TestPasswordReset(t *testing.T) {
	s := newSite(t, nil)
	thief := s.member(t, ana)
	b := s.browser(t)
	b.want(b.post("/request-password-reset", "email", ana, "redirectTo", "/parola"), 200, nil)
	b.want(b.post("/request-password-reset", "email", stranger), 200, nil)
	link := s.link(t, ana)
	testkit.Equal(t, len(s.to(stranger)), 0, "mails to a stranger")
	if strings.Contains(strings.SplitN(link, "?", 2)[0], token(link)) {
		t.Error("the token is in the path, which is logged")
	}

	r := b.want(b.get(link), 302, nil)
	testkit.Equal(t, r.Header.Get("Location"), "/parola?token="+token(link), "the target")
	testkit.Equal(t, b.get("/reset-password/"+token(link)+"?callbackURL=/parola").parameter("token"), token(link),
		"better-auth's own form of the link")

	b.want(b.post("/reset-password", "token", token(link), "newPassword", "scurtă"), 400, "PASSWORD_TOO_SHORT")
	b.want(b.post("/reset-password", "token", token(link), "newPassword", "12345678"), 400, "PASSWORD_COMPROMISED")
	b.want(b.post("/reset-password", "token", token(link), "newPassword", "cea nouă, lungă"), 200, nil)
	b.want(b.post("/reset-password", "token", token(link), "newPassword", "încă una, lungă"), 400, "INVALID_TOKEN")
	testkit.Equal(t, b.get(link).parameter("error"), "INVALID_TOKEN", "the target")
	if thief.isSignedIn() {
		t.Error("a session outlived the password")
	}

	b.want(b.post("/sign-in/email", "email", ana, "password", parola), 401, "INVALID_EMAIL_OR_PASSWORD")
	b.want(b.post("/sign-in/email", "email", ana, "password", "cea nouă, lungă"), 200, nil)
	expired := s.expire(t, forReset, s.user(t, ana).ID, "")
	b.want(b.post("/reset-password", "token", expired, "newPassword", "cea nouă, lungă"), 400, "INVALID_TOKEN")
	b.want(b.post("/reset-password", "newPassword", "cea nouă, lungă"), 400, "INVALID_TOKEN")
	testkit.Equal(t, b.get("/reset-password?token="+expired+"&callbackURL=/parola").parameter("error"),
		"INVALID_TOKEN", "the target")
	testkit.Equal(t, b.want(b.get("/reset-password/x"), 302, nil).Header.Get("Location"),
		"https://rodata.example/api/auth/error?error=INVALID_TOKEN", "without a page")
}

// Of concurrent uses of a token, one succeeds.
func TestTokensWorkOnce(t *testing.T) {
	s := newSite(t, nil)
	issued := testkit.Must(s.issue(t.Context(), forMagic, ana, "", account.Bound{}))
	results := make(chan error)
	for range 8 {
		go func() {
			_, err := s.redeem(t.Context(), forMagic, issued)
			results <- err
		}()
	}

	worked := 0
	for range 8 {
		if err := <-results; err == nil {
			worked++
		} else if err != errInvalidToken {
			t.Error(err)
		}
	}

	testkit.Equal(t, worked, 1, "successes")
}

func TestMagicLink(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	ask := func(path string) string {
		b.want(b.post("/sign-in/magic-link", "email", ana, "name", "Ana Exemplu", "callbackURL", path,
			"newUserCallbackURL", "/bun-venit", "errorCallbackURL", "/vai"), 200, nil)
		return s.link(t, ana)
	}
	link := ask("/gata")
	testkit.Equal(t, b.want(b.get(wire(link)), 302, nil).Header.Get("Location"), "/bun-venit", "the target")
	if u := s.user(t, ana); !b.isSignedIn() || !u.EmailVerified || u.Name != "Ana Exemplu" {
		t.Errorf("got %+v", u)
	}
	testkit.Equal(t, b.want(b.get(wire(link)), 302, nil).Header.Get("Location"), "/vai?error=INVALID_TOKEN",
		"once more")
	testkit.Equal(t, b.want(b.follow(ask("/gata")), 303, nil).Header.Get("Location"), "/gata", "the target")
	testkit.Equal(t,
		b.want(b.get("/magic-link/verify?callbackURL=/gata&token="+s.expire(t, forMagic, ana, "")), 302,
			nil).Header.Get("Location"), "/gata?error=INVALID_TOKEN", "expired")

	b.want(b.get("/magic-link/verify?callbackURL=https://evil.example&token=x"), 403, "INVALID_CALLBACK_URL")
	if r := b.get("/magic-link/verify?token=" + token(ask("/"))); r.StatusCode != 200 || r.json["user"] == nil ||
		r.json["token"] == "" {
		t.Errorf("without a page: got %d %s", r.StatusCode, r.text)
	}
}

// aged returns a browser whose user signed in some time ago.
func (s *site) aged(t testing.TB, email string, age time.Duration) *browser {
	t.Helper()
	u, secret := s.user(t, email), account.NewID()
	since := time.Now().Add(-age)
	session := account.Session{ID: account.NewID(), User: u.ID, Account: u.Account, CreatedAt: since, UpdatedAt: since,
		ExpiresAt: since.Add(sessionAge)}
	testkit.NoError(t, s.db.CreateSession(t.Context(), session, s.hash(forSession, secret), []byte("elsewhere")))

	b := s.browser(t)
	b.cookies["__Host-"+sessionCookie] = secret + "." + s.signature("__Host-"+sessionCookie, secret)
	return b
}

// The address of a user changes in two steps: confirmed by a link to the current address, and then by one to the new
// address.
func TestChangeOfAddress(t *testing.T) {
	const next = "ana.noua@exemplu.example"
	for name, click := range map[string]func(b *browser, link string){
		"by the pages": func(b *browser, link string) {
			if r := b.press(b.get(link)); r.StatusCode != 303 && !strings.Contains(r.text, "We have sent a link") {
				b.t.Errorf("got %d %s", r.StatusCode, r.text)
			}
		},
		"by a client": func(b *browser, link string) { b.want(b.get(wire(link)), 302, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, nil)
			b := s.member(t, ana)
			s.member(t, "ioana@exemplu.example")
			b.want(b.post("/change-email", "newEmail", ana), 400, "EMAIL_IS_THE_SAME")
			b.want(b.post("/change-email", "newEmail", "x"), 400, "VALIDATION_ERROR")
			taken := b.want(b.post("/change-email", "newEmail", "ioana@exemplu.example"), 200, nil)
			click(b, s.link(t, ana))
			free := b.want(b.post("/change-email", "newEmail", next, "callbackURL", "/gata"), 200, nil)
			if taken.text != free.text || len(s.to("ioana@exemplu.example")) != 1 {
				t.Errorf("%s\n%s", taken.text, free.text)
			}
			if n := len(s.to(next)); n != 0 {
				t.Fatalf("%d mails to the new address before the current address confirmed the change", n)
			}

			b.post("/sign-in/magic-link", "email", ana)
			sentBefore := token(s.link(t, ana))
			b.post("/change-email", "newEmail", next, "callbackURL", "/gata")
			old := s.link(t, ana)
			click(b, old)
			testkit.Equal(t, b.get(wire(old)).parameter("error"), "INVALID_TOKEN", "confirmed twice")
			testkit.Equal(t, s.user(t, ana).Email, ana, "the address before the new one is verified")

			click(b, s.link(t, next))
			if u := s.user(t, next); !u.EmailVerified {
				t.Errorf("got %+v", u)
			}
			if _, _, err := s.db.UserByEmail(t.Context(), ana); !errors.Is(err, account.ErrNoUser) {
				t.Errorf("the previous address: %v", err)
			}
			testkit.Equal(t, b.get("/magic-link/verify?token="+sentBefore+"&callbackURL=/gata").parameter("error"),
				"INVALID_TOKEN", "a link sent to the previous address")

			b.want(b.post("/sign-in/email", "email", next, "password", parola), 200, nil)
		})
	}
}

// A stolen cookie does not suffice to take over the account: changing the address takes the password, or a very recent
// sign-in.
func TestStolenSessionsDoNotChangeTheAddress(t *testing.T) {
	const next = "hotul@exemplu.example"
	for name, change := range map[string]func(*Options){"with mail": nil, "without mail": open} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, change)
			s.member(t, ana)
			thief := s.aged(t, ana, recentAge)
			mails := len(s.to(ana))
			thief.want(thief.post("/change-email", "newEmail", next), 403, "SESSION_NOT_FRESH")
			thief.want(thief.post("/change-email", "newEmail", next, "password", "alta parolă"), 400,
				"INVALID_PASSWORD")
			if u := s.user(t, ana); u.Email != ana || len(s.to(ana)) != mails || len(s.to(next)) != 0 {
				t.Errorf("got %+v", u)
			}

			thief.want(thief.post("/change-email", "newEmail", next, "password", parola), 200, nil)
			recent := s.aged(t, s.present(t, ana, next).Email, recentAge-time.Minute)
			recent.want(recent.post("/change-email", "newEmail", "alta@exemplu.example"), 200, nil)
		})
	}
}

// present returns the user with one of the addresses.
func (s *site) present(t testing.TB, emails ...string) account.User {
	t.Helper()
	for _, email := range emails {
		if u, _, err := s.db.UserByEmail(t.Context(), email); err == nil {
			return u
		}
	}

	t.Fatalf("no user has any of the addresses %v", emails)
	return account.User{}
}

func TestChangeOfAddressWithoutMail(t *testing.T) {
	s := newSite(t, open)
	b := s.member(t, ana)
	s.member(t, "ioana@exemplu.example")
	b.want(b.post("/change-email", "newEmail", "ioana@exemplu.example"), 200, nil)
	testkit.Equal(t, s.user(t, ana).Email, ana, "the address")

	b.want(b.post("/change-email", "newEmail", "noua@exemplu.example"), 200, nil)
	u := s.user(t, "noua@exemplu.example")
	if u.EmailVerified {
		t.Errorf("got %+v", u)
	}
	if err := s.db.VerifyEmail(t.Context(), u, u.Email, account.KeepAll,
		nil); err != nil { // as an operator's link does
		t.Fatal(err)
	}

	b.want(b.post("/change-email", "newEmail", ana), 400, "CHANGE_EMAIL_DISABLED") // cannot be confirmed
	for path, code := range map[string]string{"/request-password-reset": "RESET_PASSWORD_DISABLED",
		"/sign-in/magic-link": "MAGIC_LINK_DISABLED", "/send-verification-email": "VERIFICATION_EMAIL_NOT_ENABLED"} {
		b.want(b.post(path, "email", ana), 400, code)
	}
}

// A new password ends all other sessions, and every link that was sent before.
func TestChangeOfPassword(t *testing.T) {
	for name, revoke := range map[string]bool{"keeping the session": false, "with a new session": true} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, nil)
			b, other := s.member(t, ana), s.browser(t)
			other.want(other.post("/sign-in/email", "email", ana, "password", parola), 200, nil)
			b.want(b.post("/change-password", "currentPassword", "alta parolă", "newPassword", "cea nouă, lungă"), 400,
				"INVALID_PASSWORD")
			b.want(b.post("/change-password", "currentPassword", parola, "newPassword", "scurtă"), 400,
				"PASSWORD_TOO_SHORT")
			b.want(b.post("/change-password", "currentPassword", parola, "newPassword", "aaaaaaaa"), 400,
				"PASSWORD_COMPROMISED")
			links := make(map[string]string)
			for path, pair := range map[string][]any{"/request-password-reset": {"email", ana},
				"/sign-in/magic-link": {"email", ana}, "/change-email": {"newEmail", "noua@exemplu.example"},
				"/delete-user": nil} {
				b.want(b.post(path, pair...), 200, nil)
				links[path] = s.link(t, ana)
			}

			r := b.want(b.post("/change-password", "currentPassword", parola, "newPassword", "cea nouă, lungă",
				"revokeOtherSessions", revoke), 200, nil)
			if (r.json["token"] != nil) != revoke || !b.isSignedIn() {
				t.Errorf("got %s", r.text)
			}
			if other.isSignedIn() {
				t.Error("the other session has not ended")
			}

			b.want(b.post("/reset-password", "token", token(links["/request-password-reset"]), "newPassword", parola),
				400, "INVALID_TOKEN")
			for _, path := range []string{"/sign-in/magic-link", "/change-email"} {
				testkit.Equal(t, b.get(wire(links[path])).parameter("error"), "INVALID_TOKEN", "the link of %s", path)
			}

			b.want(b.get(wire(links["/delete-user"])), 404, "INVALID_TOKEN")
			b.want(b.post("/sign-in/email", "email", ana, "password", parola), 401, "INVALID_EMAIL_OR_PASSWORD")
			b.want(b.post("/sign-in/email", "email", ana, "password", "cea nouă, lungă"), 200, nil)
		})
	}
}

func TestUpdateOfUser(t *testing.T) {
	s := newSite(t, open)
	b := s.member(t, ana)
	b.want(b.post("/update-user", "name", "Ana Nouă", "image", "https://exemplu.example/a.png"), 200, nil)
	if u := s.user(t, ana); u.Name != "Ana Nouă" || u.Image != "https://exemplu.example/a.png" {
		t.Errorf("got %+v", u)
	}

	b.want(b.post("/update-user", "image", nil), 200, nil)
	if u := s.user(t, ana); u.Name != "Ana Nouă" || u.Image != "" {
		t.Errorf("got %+v", u)
	}

	b.want(b.post("/update-user"), 400, "NO_FIELDS_TO_UPDATE")
	b.want(b.post("/update-user", "email", "x@exemplu.example"), 400, "EMAIL_CAN_NOT_BE_UPDATED")
	b.want(b.post("/update-user", "name", strings.Repeat("a", 121)), 400, "VALIDATION_ERROR")
	r := b.get("/list-accounts")
	if r.StatusCode != 200 || !strings.Contains(r.text, `"providerId":"credential"`) ||
		strings.Contains(r.text, "argon2id") {
		t.Errorf("got %s", r.text)
	}
}

// Deleting a user deletes all personal data, closes the account, and ends its keys at once.
func TestDeletion(t *testing.T) {
	for name, leave := range map[string]func(s *site, b *browser){
		"password": func(s *site, b *browser) {
			b.want(b.post("/delete-user", "password", "alta parolă"), 400, "INVALID_PASSWORD")
			b.want(b.post("/delete-user", "password", parola), 200, nil)
		},
		"mail": func(s *site, b *browser) {
			b.want(b.post("/delete-user", "callbackURL", "/pa"), 200, nil)
			link, stranger := s.link(b.t, ana), s.member(b.t, "ioana@exemplu.example")
			stranger.want(stranger.get(wire(link)), 404, "INVALID_TOKEN")
			none := s.browser(b.t)
			none.want(none.get(wire(link)), 404, "FAILED_TO_GET_USER_INFO")
			testkit.Equal(b.t, b.want(b.follow(link), 303, nil).Header.Get("Location"), "/pa", "the target")
		},
		"token": func(s *site, b *browser) {
			b.post("/delete-user")
			b.want(b.post("/delete-user", "token", "x"), 404, "INVALID_TOKEN")
			b.want(b.post("/delete-user", "token", token(s.link(b.t, ana))), 200, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var closing []string
			s := newSite(t, func(o *Options) {
				o.Closing = func(_ context.Context,
					account string) error {
					closing = append(closing, account)
					return nil
				}
			})
			keys := account.NewDirectory(s.db, s.Secret, account.DefaultPrefix)
			defer s.db.Watch(keys.Forget)()
			b := s.member(t, ana)
			u := s.user(t, ana)
			_, secret, err := keys.Issue(t.Context(), account.Key{Account: u.Account, Name: "laptopul Anei"})
			testkit.NoError(t, err)
			testkit.NoError(t, testkit.Err(keys.Key(t.Context(), secret)))

			cookie := b.cookie()
			leave(s, b)
			if len(closing) != 1 || closing[0] != u.Account {
				t.Errorf("Closing was called with %v", closing)
			}
			testkit.ErrorIs(t, testkit.Err(keys.Key(t.Context(), secret)), account.ErrUnknownKey, "the key")
			testkit.ErrorIs(t, testkit.Err(s.Session(t.Context(), siteURL, cookie)), account.ErrNoSession,
				"the session")

			b.want(b.post("/sign-in/email", "email", ana, "password", parola), 401, "INVALID_EMAIL_OR_PASSWORD")
			s.member(t, ana)
			if again := s.user(t, ana); again.ID == u.ID || again.Account == u.Account {
				t.Errorf("got %+v", again)
			}
		})
	}
}

func TestDeletionWithoutMail(t *testing.T) {
	failure := errors.New("the subscription cannot be ended")
	s := newSite(t, func(o *Options) { open(o); o.Closing = func(context.Context, string) error { return failure } })
	b := s.member(t, ana)
	b.want(b.post("/delete-user"), 503, "SERVICE_UNAVAILABLE")
	if !b.isSignedIn() {
		t.Error("the user was deleted although the deletion was refused")
	}

	s.Closing = nil
	old := s.aged(t, ana, 25*time.Hour)
	old.want(old.post("/delete-user"), 400, "SESSION_EXPIRED")
	old.want(old.get("/list-sessions"), 403, "SESSION_NOT_FRESH")
	b.want(b.post("/delete-user"), 200, nil)
	if b.isSignedIn() || old.isSignedIn() {
		t.Error("the deleted user is still signed in")
	}
}

// Nothing in the store can be used to sign in.
func TestNoTokenIsStored(t *testing.T) {
	s := newSite(t, func(o *Options) {
		o.Providers = []*provider.Provider{provider.NewGitHub(provider.Client{ID: "id", Secret: "secret"})}
	})
	b := s.member(t, ana)
	secrets := []string{parola, token(s.link(t, ana))}
	b.post("/sign-in/social", "provider", "github", "callbackURL", "/")
	for name, value := range b.cookies {
		value, _, _ = strings.Cut(value, ".")
		if len(value) < 20 {
			t.Errorf("%s has no token", name)
		}

		secrets = append(secrets, value, s.derive(forVerifier, value), s.derive(forNonce, value))
	}

	b.post("/request-password-reset", "email", ana)
	secrets = append(secrets, token(s.link(t, ana)))
	b.post("/sign-in/magic-link", "email", ana)
	secrets = append(secrets, token(s.link(t, ana)))
	b.post("/delete-user")
	secrets = append(secrets, token(s.link(t, ana)))
	b.post("/change-email", "newEmail", "noua@exemplu.example")
	secrets = append(secrets, token(s.link(t, ana)))
	b.follow(s.link(t, ana))
	secrets = append(secrets, token(s.link(t, "noua@exemplu.example")))

	copied := t.TempDir() + "/copy.db"
	testkit.NoError(t, s.db.Backup(t.Context(), copied))

	dump := string(testkit.Must(os.ReadFile(copied)))
	if !strings.Contains(dump, ana) || !strings.Contains(dump, hex.EncodeToString(s.hash(forEmail, secrets[1]))) {
		t.Fatal("the copy lacks data that it must contain")
	}

	for _, secret := range secrets {
		if secret == "" || strings.Contains(dump, secret) || strings.Contains(s.log.String(), secret) {
			t.Errorf("%q is stored or logged", secret)
		}
	}
}

// A link whose effect the store could not write still works.
func TestLinksSurviveFailures(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	failing := func(on bool) {
		t.Helper()
		statements := []string{`DROP TRIGGER full_users`, `DROP TRIGGER full_logins`}
		if on {
			statements = []string{
				`CREATE TRIGGER full_users BEFORE UPDATE ON users BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
				`CREATE TRIGGER full_logins BEFORE UPDATE ON logins BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
			}
		}
		for _, statement := range statements {
			testkit.NoError(t, testkit.Err(s.db.Writer.Exec(statement)))
		}
	}

	b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola)
	verify := "/verify-email?token=" + token(s.link(t, ana))
	failing(true)
	b.want(b.get(verify), 503, "SERVICE_UNAVAILABLE")
	failing(false)
	b.want(b.get(verify), 200, nil)
	if !s.user(t, ana).EmailVerified {
		t.Error("the address is not verified")
	}

	b.want(b.post("/request-password-reset", "email", ana, "redirectTo", "/parola"), 200, nil)
	reset := []any{"token", token(s.link(t, ana)), "newPassword", "cea nouă, lungă"}
	failing(true)
	b.want(b.post("/reset-password", reset...), 503, "SERVICE_UNAVAILABLE")
	failing(false)
	b.want(b.post("/reset-password", reset...), 200, nil)
	b.want(b.post("/reset-password", reset...), 400, "INVALID_TOKEN")
}

// A link that is refused for now still works later.
func TestLinksSurviveRefusals(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	b.want(b.post("/sign-in/magic-link", "email", ana), 200, nil)
	link := "/magic-link/verify?token=" + token(s.link(t, ana))
	s.SignUpClosed = true
	testkit.Equal(t, b.want(b.get(link), 302, nil).parameter("error"), "new_user_signup_disabled",
		"sign-up is closed")
	s.SignUpClosed = false
	b.want(b.get(link), 200, nil)
	b.want(b.get(link), 302, nil)

	const next = "ana.noua@exemplu.example"
	b.want(b.post("/change-email", "newEmail", next), 200, nil)
	link = "/verify-email?token=" + token(s.link(t, ana))
	for range maxTasks {
		s.tasks.slots <- struct{}{}
	}
	b.want(b.get(link), 503, "SERVICE_UNAVAILABLE")
	b.want(b.get(link+"&callbackURL=/gata"), 503, "SERVICE_UNAVAILABLE")
	for range maxTasks {
		<-s.tasks.slots
	}
	b.want(b.get(link), 200, nil)
	b.want(b.get("/verify-email?token="+token(s.link(t, next))), 200, nil)

	b.want(b.post("/delete-user"), 200, nil)
	link = "/delete-user/callback?token=" + token(s.link(t, next))
	s.Closing = func(context.Context, string) error { return errors.New("the subscription cannot be ended") }
	b.want(b.get(link), 503, "SERVICE_UNAVAILABLE")
	s.Closing = nil
	b.want(b.get(link), 200, nil)
}
