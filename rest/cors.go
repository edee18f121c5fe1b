package rest

import (
	"net/http"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// varyOrigin is shared and must not be modified.
var varyOrigin = []string{"Origin"}

// writeCORS adds the headers that let web pages of any origin read the response. Pages call without cookies, so they
// cannot use a visitor's session; those of trusted origins may also send cookies to operations that need an account.
// A public response always has the headers, so that shared caches can serve it to any client. Other responses have them
// only if the request has an Origin header, because headers are a large part of the cost of a cache hit.
func (x *exchange) writeCORS(h http.Header, public bool) {
	if !public {
		if h["Vary"] == nil {
			h["Vary"] = varyOrigin
		} else {
			h["Vary"] = append(h["Vary"], varyOrigin...)
		}

		if x.r.Header["Origin"] == nil {
			return
		}
	}

	if x.trusted != "" {
		web.AllowTrustedPage(h, x.trusted)
		return
	}

	web.AllowAnyPage(h)
}

// trustOrigin sets x.trusted if the request comes from a page of a trusted origin and the operation accepts a session.
func (x *exchange) trustOrigin(o *op.Operation) {
	if o == nil && x.r.Method == http.MethodOptions { // a preflight names the method of the actual request
		o, _, _ = x.router.Match(x.r.Header.Get("Access-Control-Request-Method"), routePath(x.r))
	}
	if o == nil || !o.Account {
		return
	}

	if origin := first(x.r.Header["Origin"]); x.Gateway.TrustedOrigins.Has(origin) {
		x.trusted = origin
	}
}

// otherMethod answers requests with a method that the path does not support. It answers OPTIONS, including CORS
// preflights, with 204 and all other methods with 405.
func (x *exchange) otherMethod(allow string) {
	if x.r.Method == http.MethodOptions {
		x.head(false)
		x.wrote = true
		web.AnswerOptions(x.w, allow)
		return
	}

	x.w.Header()["Allow"] = []string{allow}
	x.refuse(problem.MethodNotAllowed.New("%s is not possible here; use one of: %s", x.method(), allow))
}

// method returns the request's method for an error message, or "this method" if it is too long to repeat.
func (x *exchange) method() string {
	const longest = 16
	if len(x.r.Method) > longest {
		return "this method"
	}
	return x.r.Method
}
