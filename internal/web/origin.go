package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Origins are the origins of web pages that may call, as https://app.example.ro.
type Origins []string

// Has reports whether the value of an Origin header is one of the origins. Case and default ports do not matter; an
// empty value never matches.
func (o Origins) Has(origin string) bool {
	return slices.ContainsFunc(o, func(own string) bool { return IsSameOrigin(own, origin) })
}

// IsSameOrigin reports whether two origins are equal and not empty.
func IsSameOrigin(a, b string) bool { return a != "" && normal(a) == normal(b) }

// CheckOrigin rejects a text that cannot equal any Origin header, because it is not just a scheme and a host.
func CheckOrigin(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || text != u.Scheme+"://"+u.Host {
		return fmt.Errorf("%q is not an origin such as https://app.example.ro", text)
	}
	return nil
}

// Origin returns the origin of an http or https URL in the browsers' form: lower case, without a default port. It is
// empty for anything else.
func Origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return normal(u.Scheme + "://" + u.Host)
}

// normal normalises an origin like browsers.
func normal(origin string) string {
	origin = strings.ToLower(origin)
	if strings.HasPrefix(origin, "http://") {
		return strings.TrimSuffix(origin, ":80")
	}
	if strings.HasPrefix(origin, "https://") {
		return strings.TrimSuffix(origin, ":443")
	}

	return origin
}

// AnyOrigin stands for all origins in a list that may hold it.
const AnyOrigin = "*"

// CheckOriginOrAny is CheckOrigin for a list that may hold AnyOrigin.
func CheckOriginOrAny(text string) error {
	if text == AnyOrigin {
		return nil
	}
	if err := CheckOrigin(text); err != nil {
		return fmt.Errorf("%w, or * for all", err)
	}
	return nil
}

// AllowsPage reports whether the page behind a request may call a service at an address: a page of these origins, of
// this machine, or of the service's own host.
func (o Origins) AllowsPage(r *http.Request, address string) bool {
	sent := r.Header.Values("Origin")
	if len(sent) != 1 {
		return false
	}
	if slices.Contains(o, AnyOrigin) || o.Has(sent[0]) {
		return true
	}

	page, err := url.Parse(sent[0])
	if err != nil || page.Host == "" {
		return false
	}
	if IsLoopback(page.Hostname()) {
		return true
	}
	if own, err := url.Parse(address); err != nil || !strings.EqualFold(page.Host, own.Host) {
		return false
	}

	// DNS rebinding: a page can make its own name resolve to this machine, and then its origin equals the requested
	// host. So over a loopback connection the Host header proves nothing; behind a proxy on the same machine, pages of
	// the service's own host have to be in the list.
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
