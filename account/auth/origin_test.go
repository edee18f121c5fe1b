package auth

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

func TestOrigins(t *testing.T) {
	const own, app, evil = "https://rodata.example", "https://app.example", "https://evil.example"
	s := newSite(t, open)
	b := s.member(t, ana)
	session := b.cookie()
	for name, c := range map[string]struct {
		header http.Header // an empty value removes a header
		code   any
	}{
		"own, cookie":         {http.Header{"Cookie": {session}, "Origin": {own}}, nil},
		"trusted, cookie":     {http.Header{"Cookie": {session}, "Origin": {app}}, nil},
		"foreign, cookie":     {http.Header{"Cookie": {session}, "Origin": {evil}}, "INVALID_ORIGIN"},
		"foreign, any cookie": {http.Header{"Cookie": {"a=b"}, "Origin": {evil}}, "INVALID_ORIGIN"},
		"none, cookie":        {http.Header{"Cookie": {session}, "Origin": {""}}, "MISSING_OR_NULL_ORIGIN"},
		"null, cookie":        {http.Header{"Cookie": {session}, "Origin": {"null"}}, "MISSING_OR_NULL_ORIGIN"},
		"null, own page, cookie": {http.Header{"Cookie": {session}, "Origin": {"null"},
			"Sec-Fetch-Site": {"same-origin"}}, nil},
		"referrer, cookie": {http.Header{"Cookie": {session}, "Origin": {""}, "Referer": {own + "/page"}}, nil},
		"foreign referrer, cookie": {http.Header{"Cookie": {session}, "Origin": {""}, "Referer": {evil + "/" + own}},
			"INVALID_ORIGIN"},
		"none":         {http.Header{"Origin": {""}}, nil},
		"foreign":      {http.Header{"Origin": {evil}}, "INVALID_ORIGIN"},
		"prefix":       {http.Header{"Origin": {own + ".evil.example"}}, "INVALID_ORIGIN"},
		"other scheme": {http.Header{"Origin": {"http://rodata.example"}}, "INVALID_ORIGIN"},
		"other port":   {http.Header{"Origin": {own + ":8443"}}, "INVALID_ORIGIN"},
		"no origin, from a page": {http.Header{"Origin": {""}, "Sec-Fetch-Site": {"cross-site"}},
			"MISSING_OR_NULL_ORIGIN"},
		"form of another site": {http.Header{"Origin": {""}, "Sec-Fetch-Site": {"cross-site"},
			"Sec-Fetch-Mode": {"navigate"}},
			"CROSS_SITE_NAVIGATION_LOGIN_BLOCKED"},
	} {
		t.Run(name, func(t *testing.T) {
			b := s.browser(t)
			b.header = c.header
			status := http.StatusOK
			if c.code != nil {
				status = http.StatusForbidden
			}

			b.want(b.post("/sign-in/email", "email", ana, "password", parola), status, c.code)
		})
	}
}

func TestTargets(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	for target, trusted := range map[string]bool{
		"/": true, "/gata?x=1&y=%20z#top": true, "https://rodata.example/x": true, "https://rodata.example:443/x": true,
		"HTTPS://APP.example":  true,
		"https://evil.example": false, "//evil.example": false, `/\evil.example`: false, `\\evil.example`: false,
		"/%2f/evil.example": false,
		"/%5Cevil.example":  false, "https://rodata.example@evil.example": false,
		`https://rodata.example\@evil.example`: false,
		"javascript:alert(1)":                  false, "gata": false, "https:evil.example": false,
		"/\t/evil.example": false,
		"/\n":              false, "/%zz": false,
		"http://rodata.example": false, "https://rodata.example.evil.example": false, "data:text/html,x": false,
		"/\u0085": false,
	} {
		for member, code := range map[string]string{
			"callbackURL": "INVALID_CALLBACK_URL", "errorCallbackURL": "INVALID_ERROR_CALLBACK_URL",
			"newUserCallbackURL": "INVALID_NEW_USER_CALLBACK_URL",
		} {
			r := b.post("/sign-in/magic-link", "email", ana, member, target)
			if trusted {
				b.want(r, 200, nil)
			} else {
				b.want(r, 403, code)
			}
		}
	}

	b.want(b.post("/request-password-reset", "email", ana, "redirectTo", "//evil.example"), 403, "INVALID_REDIRECT_URL")
	for _, path := range []string{"/verify-email", "/reset-password", "/reset-password/x", "/delete-user/callback",
		"/magic-link/verify"} {
		b.want(b.get(path+"?token=x&callbackURL=//evil.example"), 403, "INVALID_CALLBACK_URL")
	}
}

func TestPagesElsewhere(t *testing.T) {
	s := newSite(t, nil)
	for origin, trusted := range map[string]bool{"https://app.example": true, "https://evil.example": false} {
		b := s.browser(t)
		b.header.Set("Origin", origin)
		r := b.get("/get-session")
		testkit.Equal(t,
			r.Header.Get("Access-Control-Allow-Origin") == origin &&
				r.Header.Get("Access-Control-Allow-Credentials") == "true", trusted, "%s: got %v", origin, r.Header)
		testkit.Equal(t, r.Header.Get("Vary"), "Origin", "Vary for %s", origin)

		preflight := httptest.NewRequest("OPTIONS", "https://rodata.example/api/auth/sign-in/email", nil)
		preflight.Header.Set("Access-Control-Request-Method", "POST")
		r = b.send(preflight)
		testkit.Equal(t, r.StatusCode == 204 && strings.Contains(r.Header.Get("Access-Control-Allow-Methods"), "POST"),
			trusted, "preflight of %s: got %d %v", origin, r.StatusCode, r.Header)
	}
}

func TestUnknownPathsAreNotFound(t *testing.T) {
	b := newSite(t, nil).browser(t)
	for _, path := range []string{"", "/", "/x", "/ok/", "/callback", "/callback/", "/callback/x/y", "/sign-in/email",
		"/reset-password/x/y"} {
		r := b.send(httptest.NewRequest("GET", "https://rodata.example"+Path+path, nil))
		b.want(r, 404, "NOT_FOUND")
		if r.Header.Get("Content-Type") != "application/problem+json" ||
			r.json["type"] != "https://rodata.example/problems/not-found" ||
			r.json["title"] == "" || r.json["status"] != 404.0 || r.json["detail"] == "" || r.json["message"] == "" {
			t.Errorf("got %s", r.text)
		}
	}

	b.want(b.post("/ok"), 404, "NOT_FOUND")
	// HEAD redeems no tokens.
	b.want(b.send(httptest.NewRequest("HEAD", "https://rodata.example"+Path+"/magic-link/verify", nil)),
		404, "NOT_FOUND")
}

func TestErrorPage(t *testing.T) {
	b := newSite(t, nil).browser(t)
	for query, want := range map[string]string{
		"?error=access_denied": "You did not allow", "?error=new_one": "new_one", "": "unknown",
		"?error=<script>alert(1)</script>": "unknown", "?error=x&error_description=<script>": "Something went wrong",
	} {
		r := b.get("/error" + strings.ReplaceAll(query, "<", "%3C"))
		if r.StatusCode != 200 || !strings.Contains(r.text, want) || strings.Contains(r.text, "<script") ||
			!strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "default-src 'none'") ||
			r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: got %d %v %s", query, r.StatusCode, r.Header, r.text)
		}
	}
}

func TestStoreIsDown(t *testing.T) {
	s := newSite(t, nil)
	b := s.member(t, ana)
	s.db.Close()
	for _, r := range []reply{
		b.get("/get-session"), b.post("/sign-in/email", "email", ana, "password", parola),
		b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola), b.post("/sign-out"),
	} {
		b.want(r, 503, "SERVICE_UNAVAILABLE")
		if r.Header.Get("Retry-After") != "5" || strings.Contains(r.text, "sql") {
			t.Errorf("got %v %s", r.Header, r.text)
		}
	}

	testkit.Contains(t, s.log.String(), "database is closed", "the log")
}
