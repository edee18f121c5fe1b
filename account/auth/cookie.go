package auth

import (
	"crypto/hmac"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/web"
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
	name = fullName(x.base, name)
	x.writeCookie(name, value+"."+x.auth.signature(name, value), int(age/time.Second))
}

func (x *exchange) clearCookie(name string) { x.writeCookie(fullName(x.base, name), "", -1) }

func (x *exchange) writeCookie(name, value string, maxAge int) {
	http.SetCookie(x.w, &http.Cookie{Name: name, Value: value, MaxAge: maxAge, Path: "/", HttpOnly: true,
		Secure: strings.HasPrefix(x.base, "https:"), SameSite: http.SameSiteLaxMode})
}

func (x *exchange) cookie(name string) string {
	return x.auth.readCookie(x.r, x.base, name)
}

func fullName(base, name string) string { return web.CookieName(base, "/", name) }

// readCookie returns the value of a cookie whose signature fits value and name, or empty.
func (a *Auth) readCookie(r *http.Request, base, name string) string {
	name = fullName(base, name)
	for _, c := range r.CookiesNamed(name) {
		dot := strings.LastIndexByte(c.Value, '.')
		if dot > 0 && hmac.Equal([]byte(c.Value[dot+1:]), []byte(a.signature(name, c.Value[:dot]))) {
			return c.Value[:dot]
		}
	}

	return ""
}

func (a *Auth) signature(name, value string) string { return a.derive(forCookie+name, value) }
