package caddymodule

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/rest"
	"github.com/rodata/rodata/service"
)

// A channel (rest, mcp, site) is a plain http.Handler that belongs to a service. Its Caddy handler decides by the path
// whether a request belongs to the channel. This file does the rest: it finds the service of the newest configuration,
// counts requests in flight, and determines the addresses of the client and of the service.

// guest is the part that all handlers have: the app whose service answers.
type guest struct{ app *App }

// Provision finds the app; a configuration without it gets the defaults.
func (g *guest) Provision(ctx caddy.Context) error {
	app, err := ctx.App("rodata")
	if err != nil {
		return err
	}

	g.app = app.(*App)
	return nil
}

var _ caddy.Provisioner = (*guest)(nil)

// answer lets a channel of the service answer a request. It returns no error: Caddy would
// append a second body to an answer that has begun.
func (a *App) answer(w http.ResponseWriter, r *http.Request, channel func(*service.Service) http.Handler) error {
	s := a.enter()
	if s == nil {
		a.refuseRestarting(w, r)
		return nil
	}
	defer s.Leave()

	if r.ProtoMajor == 1 { // the connection's goroutine keeps its stack
		channel(s).ServeHTTP(w, r)
	} else {
		a.stacks.serve(channel(s), w, r)
	}
	return nil
}

// refuseRestarting answers a request while no configuration is running.
func (a *App) refuseRestarting(w http.ResponseWriter, r *http.Request) {
	rest.Refuse(w, r, restartingProblem(), a.URL)
}

func restartingProblem() *problem.Problem {
	return problem.Unavailable.New("the service is restarting; try again in a second").After(time.Second)
}

// clientAddress returns the client's address as Caddy determines it, considering trusted proxies. It is the zero
// address for a connection without an address, such as a Unix socket.
func clientAddress(r *http.Request) netip.Addr {
	text, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	addr, _ := netip.ParseAddr(text)
	return addr
}

// URL returns the address of the service without a trailing slash: the configured address or, without one, the address
// in the request.
func (a *App) URL(r *http.Request) string {
	if a.BaseURL != "" {
		return a.BaseURL
	}

	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}

	if trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool); trusted {
		if forwarded := r.Header.Get("X-Forwarded-Proto"); forwarded == "https" || forwarded == "http" {
			scheme = forwarded
		}
	}

	return scheme + "://" + r.Host
}
