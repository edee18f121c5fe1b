package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/weburl"
)

// The headers of a cross-origin call that a browser asks about, and those of the
// answer that its page may read.
const (
	requestHeaders  = "Authorization, X-Api-Key, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, X-Request-Id"
	responseHeaders = "Mcp-Session-Id, WWW-Authenticate, Retry-After, RateLimit-Limit, RateLimit-Remaining, x-credits-cost, x-credits-remaining, x-cache, X-Request-Id"
)

// allowOrigin decides about the page that sent a request, and tells its browser.
// Clients that are no browsers send no Origin.
func (h *Handler) allowOrigin(w http.ResponseWriter, r *http.Request) bool {
	header := w.Header()
	header.Add("Vary", "Origin")
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 || !h.originAllowed(origins[0], r) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origins[0])
	header.Set("Access-Control-Expose-Headers", responseHeaders)
	return true
}

func (h *Handler) originAllowed(origin string, r *http.Request) bool {
	allowed := func(o string) bool { return o == "*" || strings.EqualFold(o, origin) }
	if slices.ContainsFunc(h.AllowedOrigins, allowed) {
		return true
	}
	page, err := url.Parse(origin)
	if err != nil || page.Host == "" {
		return false
	}
	if weburl.Loopback(page.Hostname()) {
		return true
	}
	if own, err := url.Parse(h.BaseURL(r)); err != nil || !strings.EqualFold(page.Host, own.Host) {
		return false
	}
	// A page can make its own name resolve to this machine (DNS rebinding), and
	// then is of the very host that it asks. So a host that the request names
	// counts for nothing over a loopback connection; with a proxy on the same
	// machine, pages of the own host need AllowedOrigins.
	return !strings.EqualFold(page.Host, r.Host) || !overLoopback(r)
}

// overLoopback reports whether a request reached this machine from itself.
func overLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	end, err := netip.ParseAddrPort(local.String())
	return err == nil && end.Addr().Unmap().IsLoopback()
}

// CheckOrigin refuses an entry of Options.AllowedOrigins that no Origin header can equal.
func CheckOrigin(origin string) error {
	page, err := url.Parse(origin)
	if origin == "*" || err == nil && page.Host != "" && origin == page.Scheme+"://"+page.Host {
		return nil
	}
	return fmt.Errorf("%s is not an origin; write scheme and host, as https://app.example.ro, or *", quoted(origin))
}

// preflight answers what a browser asks before a cross-origin call.
func preflight(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Allow", methods)
	if header.Get("Access-Control-Allow-Origin") != "" {
		header.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
		header.Set("Access-Control-Allow-Headers", requestHeaders)
		header.Set("Access-Control-Max-Age", "86400")
	}
	w.WriteHeader(http.StatusNoContent)
}
