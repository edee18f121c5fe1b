package auth

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/testkit"
)

// cookie returns the browser's Cookie header.
func (b *browser) cookie() string {
	var all []string
	for name, value := range b.cookies {
		all = append(all, name+"="+value)
	}
	return strings.Join(all, "; ")
}

func TestSessionOfCookie(t *testing.T) {
	s := newSite(t, open)
	b := s.member(t, ana)
	u, _, _ := s.db.UserByEmail(t.Context(), ana)
	cookie := b.cookie()
	got, err := s.Session(t.Context(), siteURL, "other=1; "+cookie)
	if err != nil || got.User != u.ID || got.Account != u.Account || got.Plan != "free" {
		t.Errorf("got %+v, %v", got, err)
	}

	for name, header := range map[string]string{
		"no cookie":         "",
		"another signature": cookie[:len(cookie)-1] + "x",
		"no signature":      strings.SplitN(cookie, ".", 3)[0],
		"another name":      strings.Replace(cookie, "__Host-", "", 1),
		"nonsense":          "__Host-better-auth.session_token=.;;=",
	} {
		testkit.ErrorIs(t, testkit.Err(s.Session(t.Context(), siteURL, header)), account.ErrNoSession, name)
	}

	// In plain http the browser cannot protect the name. A cookie from there is not accepted over https.
	overHTTP := &exchange{auth: s.Auth, w: httptest.NewRecorder(), r: httptest.NewRequest("GET", "/", nil),
		base: "http://rodata.example"}
	testkit.NoError(t, testkit.Err(overHTTP.startSession(u, false)))

	plain, _, _ := strings.Cut(overHTTP.w.Header().Get("Set-Cookie"), ";")
	for site, want := range map[string]error{"http://rodata.example": nil, siteURL: account.ErrNoSession} {
		testkit.ErrorIs(t, testkit.Err(s.Session(t.Context(), site, plain)), want, "%s at %s", plain, site)
	}

	b.want(b.post("/sign-out"), 200, nil)
	testkit.ErrorIs(t, testkit.Err(s.Session(t.Context(), siteURL, cookie)), account.ErrNoSession, "after signing out")

	s.db.Close()
	testkit.ErrorIs(t, testkit.Err(s.Session(t.Context(), siteURL, cookie)), account.ErrStoreDown, "without the store")
}

func TestSessionsEndAtOnce(t *testing.T) {
	s := newSite(t, open)
	one := s.member(t, ana)
	two := s.browser(t)
	two.want(two.post("/sign-in/email", "email", ana, "password", parola), 200, nil)
	other := s.member(t, "ioana@exemplu.example")
	for _, b := range []*browser{one, two, other} {
		testkit.NoError(t, testkit.Err(s.Session(t.Context(), siteURL, b.cookie())))
	}

	stranger := testkit.Must(s.Session(t.Context(), siteURL, other.cookie()))
	one.want(one.post("/revoke-session", "token", stranger.ID), 200, nil)
	if !other.isSignedIn() {
		t.Error("another user's session was ended")
	}

	one.want(one.post("/revoke-other-sessions"), 200, nil)
	testkit.ErrorIs(t, testkit.Err(s.Session(t.Context(), siteURL, two.cookie())), account.ErrNoSession,
		"after revocation")
	if !one.isSignedIn() || !other.isSignedIn() {
		t.Error("too many sessions were ended")
	}

	one.want(one.post("/revoke-sessions"), 200, nil)
	testkit.ErrorIs(t, testkit.Err(s.Session(t.Context(), siteURL, one.cookie())), account.ErrNoSession,
		"after revocation of all")
}

// The public handle of a session cannot be used to sign in.
func TestHandlesAreNoTokens(t *testing.T) {
	b := newSite(t, open).member(t, ana)
	token, _, _ := strings.Cut(b.cookies["__Host-better-auth.session_token"], ".")
	for _, path := range []string{"/get-session", "/list-sessions"} {
		if r := b.get(path); strings.Contains(r.text, token) {
			t.Errorf("%s shows the token", path)
		}
	}
}

// age backdates the user's sessions.
func (s *site) age(t *testing.T, cookie string, by time.Duration) {
	t.Helper()
	got := testkit.Must(s.Session(t.Context(), siteURL, cookie))
	got.UpdatedAt, got.ExpiresAt = got.UpdatedAt.Add(-by), got.ExpiresAt.Add(-by)
	testkit.NoError(t, s.db.ExtendSession(t.Context(), got))
}

func TestSessionsAreExtended(t *testing.T) {
	for name, c := range map[string]struct {
		age     time.Duration
		brief   bool
		extends bool
		ends    bool
	}{
		"within a day": {23 * time.Hour, false, false, false},
		"later":        {25 * time.Hour, false, true, false},
		"too late":     {8 * 24 * time.Hour, false, false, true},
		"brief":        {23 * time.Hour, true, false, false},
		"brief, late":  {25 * time.Hour, true, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, open)
			b := s.member(t, ana)
			b.want(b.post("/sign-in/email", "email", ana, "password", parola, "rememberMe", !c.brief), 200, nil)
			s.age(t, b.cookie(), c.age)
			r := b.want(b.get("/get-session"), 200, nil)
			if ended := r.text == "null"; ended != c.ends {
				t.Fatalf("got %s", r.text)
			}

			given := strings.Contains(strings.Join(r.Header["Set-Cookie"], "\n"), "Max-Age=604800")
			testkit.Equal(t, given, c.extends, "extended: %v", r.Header["Set-Cookie"])
			testkit.Equal(t, testkit.Err(s.Session(t.Context(), siteURL, b.cookie())) != nil, c.ends)
		})
	}
}

// However often it is used, a session ends.
func TestOldSessionsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		signedIn, used time.Duration // ago
		maxAge         time.Duration // of the cookie; 0 for none
	}{
		"young":        {80 * 24 * time.Hour, 2 * 24 * time.Hour, 7 * 24 * time.Hour},
		"near its end": {88 * 24 * time.Hour, 6 * 24 * time.Hour, 2 * 24 * time.Hour},
		"too near":     {84 * 24 * time.Hour, 24*time.Hour + time.Minute, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, open)
			b := s.member(t, ana)
			s.age(t, b.cookie(), c.used)
			testkit.NoError(t, database.Exec(t.Context(), s.db.Writer, `UPDATE sessions SET created_at = $1`,
				time.Now().Add(-c.signedIn).UnixMilli()))

			r := b.want(b.get("/get-session"), 200, nil)
			got := time.Duration(0)
			for _, cookie := range r.Cookies() {
				got = (time.Duration(cookie.MaxAge) * time.Second).Round(time.Minute)
			}
			if got != c.maxAge || r.text == "null" {
				t.Errorf("extended by %s: %s", got, r.text)
			}
		})
	}
}

func TestNoSession(t *testing.T) {
	s := newSite(t, open)
	b := s.member(t, ana)
	cookies := map[string]string{}
	for name, value := range b.cookies {
		cookies[name] = value
	}

	b.want(b.post("/sign-out"), 200, nil)
	b.cookies = cookies // sent although the browser was told to delete it
	r := b.want(b.get("/get-session"), 200, nil)
	if r.text != "null" || r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Pragma") != "no-cache" ||
		len(r.Header["Set-Cookie"]) != 3 {
		t.Errorf("got %s %v", r.text, r.Header)
	}

	none := s.browser(t)
	if r := none.get("/get-session"); r.text != "null" || len(r.Header["Set-Cookie"]) != 0 {
		t.Errorf("got %s %v", r.text, r.Header)
	}

	for _, path := range []string{"/list-sessions", "/list-accounts"} {
		none.want(none.get(path), 401, "UNAUTHORIZED")
	}

	for _, path := range []string{"/revoke-session", "/revoke-sessions", "/revoke-other-sessions", "/update-user",
		"/change-password", "/change-email", "/delete-user"} {
		none.want(none.post(path), 401, "UNAUTHORIZED")
	}

	none.want(none.post("/sign-out"), 200, nil)
}

func TestAgentsAreBounded(t *testing.T) {
	s := newSite(t, open)
	b := s.browser(t)
	b.header = http.Header{"User-Agent": {strings.Repeat("x", 10_000)}, "X-Test-Address": {"2001:db8::1"}}
	b.want(b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola), 200, nil)
	got, err := s.Session(t.Context(), siteURL, b.cookie())
	if err != nil || len(got.Agent) != maxAgent || got.Address != "2001:db8::1" {
		t.Errorf("got %+v, %v", got, err)
	}
	testkit.Equal(t, printableAgent("Mozilla\r\nX: y"), "Mozilla")
}
