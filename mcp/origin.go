package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/web"
)

// anyOrigin allows all origins.
const anyOrigin = "*"

// allowOrigin decides whether the page behind a request may call, and sets the CORS headers. Clients other than
// browsers send no Origin.
func (h *Handler) allowOrigin(w http.ResponseWriter, r *http.Request) bool {
	header := w.Header()
	header.Add("Vary", "Origin")
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 || !h.allowsOrigin(origins[0], r) {
		return false
	}

	web.AllowAnyPage(header)
	header.Set("Access-Control-Allow-Origin", origins[0])
	return true
}

func (h *Handler) allowsOrigin(origin string, r *http.Request) bool {
	if slices.Contains(h.AllowedOrigins, anyOrigin) || h.AllowedOrigins.Has(origin) {
		return true
	}

	page, err := url.Parse(origin)
	if err != nil || page.Host == "" {
		return false
	}
	if web.IsLoopback(page.Hostname()) {
		return true
	}
	if own, err := url.Parse(h.BaseURL(r)); err != nil || !strings.EqualFold(page.Host, own.Host) {
		return false
	}

	// DNS rebinding: a page can make its own name resolve to this machine, and then its origin equals the requested
	// host. So over a loopback connection the Host header proves nothing; behind a proxy on the same machine, pages of
	// the service's own host need AllowedOrigins.
	return !strings.EqualFold(page.Host, r.Host) || !isOverLoopback(r)
}

// isOverLoopback reports whether a request came from this machine.
func isOverLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}

	end, err := netip.ParseAddrPort(local.String())
	return err == nil && end.Addr().Unmap().IsLoopback()
}

// CheckOrigin rejects an entry of Options.AllowedOrigins that cannot equal any Origin header.
func CheckOrigin(origin string) error {
	if origin == anyOrigin {
		return nil
	}
	if err := web.CheckOrigin(origin); err != nil {
		return fmt.Errorf("%w, or * for all", err)
	}
	return nil
}
