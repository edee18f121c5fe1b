package caddymodule

import (
	"net/http"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// Browsers may call from any page, without cookies, so no page can make use of
// somebody's session. Only where an account is needed, pages of trusted origins may
// call with them. The values are shared, never changed.
var (
	anyOrigin      = []string{"*"}
	exposedHeaders = []string{"RateLimit-Limit, RateLimit-Remaining, RateLimit, RateLimit-Policy, Retry-After, " +
		"x-credits-cost, x-credits-remaining, x-cache, Cache-Status, ETag, Age, X-Request-Id"}
	acceptedHeaders = []string{"Authorization, X-Api-Key, Content-Type, If-None-Match, X-Request-Id"}
	preflightMaxAge = []string{"86400"}
	varyOrigin      = []string{"Origin"}
	allowed         = []string{"true"}
)

// writeCORS opens the answer to pages of any origin. It is the same for all
// requests, so that a shared cache may keep it; but for answers about an account,
// which nobody keeps.
func (x *exchange) writeCORS(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposedHeaders
	if x.personal {
		h["Vary"] = append(h["Vary"], varyOrigin...)
	}
	if x.trusted != "" {
		h["Access-Control-Allow-Origin"] = []string{x.trusted}
		h["Access-Control-Allow-Credentials"] = allowed
	}
}

// admitPage lets a page of a trusted origin use the caller's session, at an
// address of an operation that takes one.
func (x *exchange) admitPage(s *service, op *api.Operation) {
	if op == nil && x.r.Method == http.MethodOptions { // the preflight says what comes next
		op, _, _ = s.router.Match(x.r.Header.Get("Access-Control-Request-Method"), x.r.URL.Path)
	}
	if op == nil || !op.Account {
		return
	}
	x.personal = true
	if origin := first(x.r.Header["Origin"]); origin != "" && s.gateway.TrustsOrigin != nil && s.gateway.TrustsOrigin(origin) {
		x.trusted = origin
	}
}

// otherMethod answers for an address that has other methods than the one asked
// for: OPTIONS, of which a browser's preflight is one, or a 405.
func (x *exchange) otherMethod(allow string) {
	h := x.w.Header()
	h["Allow"] = []string{allow}
	if x.r.Method != http.MethodOptions {
		x.refuse(problem.MethodNotAllowed.New("%s is not possible here; use one of: %s", x.method(), allow), 0)
		return
	}
	h["Access-Control-Allow-Methods"] = h["Allow"]
	h["Access-Control-Allow-Headers"] = acceptedHeaders
	h["Access-Control-Max-Age"] = preflightMaxAge
	x.send(http.StatusNoContent, nil, nil)
}

// method is the request's method, as far as it can be repeated.
func (x *exchange) method() string {
	const longest = 16
	if len(x.r.Method) > longest {
		return "this method"
	}
	return x.r.Method
}
