package web

import (
	"fmt"
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
