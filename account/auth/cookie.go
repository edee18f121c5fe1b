package auth

import (
	"crypto/hmac"
	"net/http"
	"strings"
	"time"
)

// The cookies.
const (
	sessionCookie = "better-auth.session_token"
	briefCookie   = "better-auth.dont_remember"
	stateCookie   = "better-auth.state"
	dataCookie    = "better-auth.session_data" // better-auth's session cache, unused here

	stateCookieAge = 5 * time.Minute
)

// setCookie sets a signed cookie. An age of zero makes it a session cookie.
func (x *exchange) setCookie(name, value string, age time.Duration) {
	name, secure := x.cookieName(name)
	http.SetCookie(x.w, &http.Cookie{
		Name: name, Value: value + "." + x.auth.signature(name, value), MaxAge: int(age / time.Second),
		Path: "/", HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
	})
}

func (x *exchange) clearCookie(name string) {
	name, secure := x.cookieName(name)
	http.SetCookie(x.w, &http.Cookie{Name: name, MaxAge: -1, Path: "/", HttpOnly: true, Secure: secure,
		SameSite: http.SameSiteLaxMode})
}

func (x *exchange) cookie(name string) string {
	return x.auth.readCookie(x.r, x.secure(), name)
}

func (x *exchange) secure() bool { return strings.HasPrefix(x.base, "https:") }

func (x *exchange) cookieName(name string) (string, bool) {
	secure := x.secure()
	return fullName(secure, name), secure
}

// fullName adds the prefix that browsers accept over https only.
func fullName(secure bool, name string) string {
	if secure {
		return "__Secure-" + name
	}
	return name
}

// readCookie returns the value of a cookie whose signature fits value and name, or empty.
func (a *Auth) readCookie(r *http.Request, secure bool, name string) string {
	name = fullName(secure, name)
	for _, c := range r.CookiesNamed(name) {
		dot := strings.LastIndexByte(c.Value, '.')
		if dot > 0 && hmac.Equal([]byte(c.Value[dot+1:]), []byte(a.signature(name, c.Value[:dot]))) {
			return c.Value[:dot]
		}
	}

	return ""
}

func (a *Auth) signature(name, value string) string { return a.derive(forCookie+name, value) }
