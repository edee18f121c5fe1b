package web

import "net/http"

// Values of CORS headers, for all channels. They are shared and must not be modified.
var (
	// all stands for every origin or header.
	all = []string{"*"}
	// namedHeaders is the Access-Control-Expose-Headers of answers to requests with credentials, for which browsers
	// ignore the asterisk.
	namedHeaders = []string{"Accept-Ranges, Age, Allow, Cache-Status, Content-Disposition, Content-Encoding, " +
		"Content-Range, ETag, Link, Location, RateLimit, RateLimit-Limit, RateLimit-Policy, RateLimit-Remaining, " +
		"Retry-After, WWW-Authenticate, X-Request-Id, X-Retry-After, x-cache, x-credits-cost, x-credits-remaining"}

	// sentHeaders are all request headers that a channel reads and that are not the browser's own.
	sentHeaders = []string{"Authorization, X-Api-Key, Content-Type, Accept, Accept-Language, Cache-Control, " +
		"Idempotency-Key, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Last-Event-ID, " +
		"MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Pragma, Prefer, Range, Traceparent, Tracestate, " +
		"X-Request-Id"}
	preflightMaxAge = []string{"86400"} // a day, in seconds
)

// AllowAnyPage sets the headers that let pages of any origin read an answer to a request without credentials.
func AllowAnyPage(h http.Header) {
	h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = all, all
}

// AllowTrustedPage sets the headers that let a page of a trusted origin send cookies and read the answer.
func AllowTrustedPage(h http.Header, origin string) {
	h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = []string{origin}, namedHeaders
	h["Access-Control-Allow-Credentials"] = []string{"true"}
}

// AnswerOptions answers a request with the method OPTIONS. If pages of other origins may read the answer, it is a CORS
// preflight that allows the methods, and all headers that a channel reads.
func AnswerOptions(w http.ResponseWriter, allow string) {
	h := w.Header()
	h["Allow"] = []string{allow}
	if h["Access-Control-Allow-Origin"] != nil {
		h["Access-Control-Allow-Methods"] = h["Allow"]
		h["Access-Control-Allow-Headers"] = sentHeaders
		h["Access-Control-Max-Age"] = preflightMaxAge
	}

	w.WriteHeader(http.StatusNoContent)
}
