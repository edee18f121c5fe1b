package caddymodule

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/account/mail"
)

// Console receives messages that a person at a terminal should see without searching the log.
type Console struct {
	// Serving is called whenever a configuration has started. If it is nil, the endpoints are logged.
	Serving func(dataDir string, endpoints []Endpoint)
	// Mail is called with each mail in the sandbox environment if there is no mail server. If it is nil, mails are
	// logged.
	Mail func(mail.Message)
}

// Terminal is the console of this process. Set it before loading a configuration.
var Terminal Console

// Endpoint is an address at which the gateway serves.
type Endpoint struct {
	// URL is the address of the site without a trailing slash: https://api.example.ro.
	URL string
	// REST, MCP and Pages report which channels are served there.
	REST, MCP, Pages bool
}

// announceStart announces the endpoints once this configuration has started.
func (a *App) announceStart(ctx caddy.Context) (err error) {
	a.announcing.Do(func() {
		var events any
		if events, err = ctx.App("events"); err == nil {
			err = events.(*caddyevents.App).On("started", announcement{a})
		}
	})
	return err
}

// announcement handles Caddy's event "started".
type announcement struct{ app *App }

// Handle implements caddyevents.Handler.
func (n announcement) Handle(context.Context, caddy.Event) error {
	endpoints := n.app.endpoints()
	if Terminal.Serving != nil {
		Terminal.Serving(n.app.DataDir, endpoints)
		return nil
	}

	for _, e := range endpoints {
		arguments := []any{"url", e.URL, "data_dir", n.app.DataDir}
		for _, c := range e.Channels() {
			arguments = append(arguments, c.Name, c.URL)
		}

		n.app.logger.Info("serving", arguments...)
	}

	return nil
}

// Channel is a channel served at an endpoint.
type Channel struct{ Name, URL string }

// Channels are the channels served at an endpoint.
func (e Endpoint) Channels() (served []Channel) {
	for _, c := range []struct {
		there     bool
		name, url string
	}{{e.Pages, "pages", "/"}, {e.REST, "rest", "/v1"}, {e.MCP, "mcp", "/mcp"}} {
		if c.there {
			served = append(served, Channel{c.name, e.URL + c.url})
		}
	}

	return served
}

// endpoints returns the addresses at which the configuration serves the gateway.
func (a *App) endpoints() (endpoints []Endpoint) {
	web, err := a.ctx.AppIfConfigured("http")
	if err != nil {
		return nil
	}

	for _, server := range web.(*caddyhttp.App).Servers {
		for _, site := range server.Routes {
			handlers := handlersOf(caddyhttp.RouteList{site})
			e := Endpoint{
				REST:  slices.Contains(handlers, "http.handlers.rodata"),
				MCP:   slices.Contains(handlers, "http.handlers.rodata_mcp"),
				Pages: slices.Contains(handlers, "http.handlers.rodata_site"),
			}
			if !e.REST && !e.MCP && !e.Pages {
				continue
			}

			for _, url := range addresses(server, hostsOf(site)) {
				e.URL = url
				if !slices.Contains(endpoints, e) {
					endpoints = append(endpoints, e)
				}
			}
		}
	}

	slices.SortFunc(endpoints, func(a, b Endpoint) int { return strings.Compare(a.URL, b.URL) })
	return endpoints
}

// addresses returns the URLs of a server for the given hosts, or of its listeners if there are none.
func addresses(server *caddyhttp.Server, hosts []string) (urls []string) {
	scheme, usual := "http", uint(80)
	if len(server.TLSConnPolicies) > 0 {
		scheme, usual = "https", 443
	}

	for _, listen := range server.Listen {
		at, err := caddy.ParseNetworkAddress(listen)
		if err != nil || at.IsUnixNetwork() || at.IsFdNetwork() {
			urls = append(urls, listen)
			continue
		}

		names := hosts
		if len(names) == 0 {
			names = []string{cmp.Or(at.Host, "localhost")}
		}

		for _, name := range names {
			if at.StartPort != usual {
				name = net.JoinHostPort(name, strconv.FormatUint(uint64(at.StartPort), 10))
			} else if strings.Contains(name, ":") {
				name = "[" + name + "]"
			}

			urls = append(urls, scheme+"://"+name)
		}
	}

	return urls
}

// handlersOf returns the module ids of the handlers on the routes.
func handlersOf(routes caddyhttp.RouteList) (ids []caddy.ModuleID) {
	for _, route := range routes {
		for _, handler := range route.Handlers {
			if m, ok := handler.(caddy.Module); ok {
				ids = append(ids, m.CaddyModule().ID)
			}
			if sub, ok := handler.(*caddyhttp.Subroute); ok {
				ids = append(ids, handlersOf(sub.Routes)...)
			}
		}
	}

	return ids
}
