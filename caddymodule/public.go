package caddymodule

import (
	"net/url"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/internal/web"
)

// isPublic reports whether other machines can reach the gateway, judged by the base URL or,
// without one, by the hosts and listeners of the sites that serve it.
func (a *App) isPublic() bool {
	if u, err := url.Parse(a.BaseURL); err == nil && u.Host != "" {
		return isExternal(u.Hostname())
	}

	web, err := a.ctx.AppIfConfigured("http")
	if err != nil {
		return false
	}

	for _, server := range web.(*caddyhttp.App).Servers {
		for _, site := range server.Routes {
			if !slices.Contains(handlersOf(caddyhttp.RouteList{site}), "http.handlers.rodata") {
				continue
			}

			hosts := hostsOf(site)
			if slices.ContainsFunc(hosts, isExternal) ||
				len(hosts) == 0 && slices.ContainsFunc(server.Listen, listensExternally) {
				return true
			}
		}
	}

	return false
}

// hostsOf returns the hosts that a route is limited to; none if it is for all hosts.
func hostsOf(route caddyhttp.Route) (hosts []string) {
	for _, set := range route.MatcherSets {
		for _, matcher := range set {
			if names, ok := matcher.(*caddyhttp.MatchHost); ok {
				hosts = append(hosts, *names...)
			}
		}
	}

	return hosts
}

func listensExternally(address string) bool {
	parsed, err := caddy.ParseNetworkAddress(address)
	return err == nil && !parsed.IsUnixNetwork() && isExternal(parsed.Host)
}

// isExternal reports whether a host is not a loopback address.
func isExternal(host string) bool { return !web.IsLoopback(host) }
