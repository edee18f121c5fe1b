package caddymodule

import (
	"net/url"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/internal/weburl"
)

// public reports whether the gateway is there for others than this machine, as far
// as the configuration tells: by the address that it says clients know, or else by
// those of the sites that serve it.
func (a *App) public() bool {
	if u, err := url.Parse(a.BaseURL); err == nil && u.Host != "" {
		return beyond(u.Hostname())
	}
	web, err := a.ctx.AppIfConfigured("http")
	if err != nil {
		return false
	}
	for _, server := range web.(*caddyhttp.App).Servers {
		for _, site := range server.Routes {
			if !serves(caddyhttp.RouteList{site}) {
				continue
			}
			hosts := hostsOf(site)
			if slices.ContainsFunc(hosts, beyond) || len(hosts) == 0 && slices.ContainsFunc(server.Listen, listensBeyond) {
				return true
			}
		}
	}
	return false
}

// serves reports whether the gateway answers on one of some routes.
func serves(routes caddyhttp.RouteList) bool {
	for _, route := range routes {
		for _, handler := range route.Handlers {
			switch h := handler.(type) {
			case *Handler:
				return true
			case *caddyhttp.Subroute:
				if serves(h.Routes) {
					return true
				}
			}
		}
	}
	return false
}

// hostsOf are the hosts that a route is for; none when it is for all.
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

func listensBeyond(address string) bool {
	parsed, err := caddy.ParseNetworkAddress(address)
	return err == nil && !parsed.IsUnixNetwork() && beyond(parsed.Host)
}

// beyond reports whether a host is not this machine, for itself alone.
func beyond(host string) bool { return !weburl.Loopback(host) }
