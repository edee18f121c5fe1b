package rest

import (
	"net/http"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// Pages of any origin may call without cookies, so that they cannot use a visitor's session. Operations that need an
// account may also be called with cookies, by pages of trusted origins. The values are shared and must not be changed.
var (
	anyOrigin      = []string{"*"}
	exposedHeaders = []string{"RateLimit-Limit, RateLimit-Remaining, RateLimit, RateLimit-Policy, Retry-After, " +
		"x-credits-cost, x-credits-remaining, x-cache, Cache-Status, ETag, Link, Age, X-Request-Id"}
	acceptedHeaders = []string{"Authorization, X-Api-Key, Content-Type, If-None-Match, X-Request-Id, Idempotency-Key"}
	preflightMaxAge = []string{"86400"}
	varyOrigin      = []string{"Origin"}
	allowed         = []string{"true"}
)

// writeCORS lets pages of any origin read the answer. A public answer has the same headers for all requests, so that
// shared caches can store it. Other answers have them only for pages, since headers are a large part of a hit's cost.
func (x *exchange) writeCORS(h http.Header, public bool) {
	if !public {
		h["Vary"] = append(h["Vary"], varyOrigin...)
		if x.r.Header["Origin"] == nil {
			return
		}
	}

	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposedHeaders
	if x.trusted != "" {
		h["Access-Control-Allow-Origin"] = []string{x.trusted}
		h["Access-Control-Allow-Credentials"] = allowed
	}
}

// admitPage lets a page of a trusted origin use the caller's session, if the operation at
// the path accepts one.
func (x *exchange) admitPage(op *api.Operation) {
	if op == nil && x.r.Method == http.MethodOptions { // the preflight names the method that follows
		op, _, _ = x.router.Match(x.r.Header.Get("Access-Control-Request-Method"), x.r.URL.Path)
	}
	if op == nil || !op.Account {
		return
	}

	if origin := first(x.r.Header["Origin"]); x.Gateway.TrustedOrigins.Has(origin) {
		x.trusted = origin
	}
}

// otherMethod answers a method that the path does not support: OPTIONS, as in a CORS preflight, or otherwise with a
// 405.
func (x *exchange) otherMethod(allow string) {
	h := x.w.Header()
	h["Allow"] = []string{allow}
	if x.r.Method != http.MethodOptions {
		x.refuse(problem.MethodNotAllowed.New("%s is not possible here; use one of: %s", x.method(), allow))
		return
	}

	x.head(false)
	h["Access-Control-Allow-Methods"] = h["Allow"]
	h["Access-Control-Allow-Headers"] = acceptedHeaders
	h["Access-Control-Max-Age"] = preflightMaxAge
	x.send(http.StatusNoContent, nil, nil)
}

// method is the request's method if it is short enough to be echoed.
func (x *exchange) method() string {
	const longest = 16
	if len(x.r.Method) > longest {
		return "this method"
	}
	return x.r.Method
}
