package caddymodule

import (
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/caddymodule/accesslog"
	"github.com/rodata/rodata/rest"
	"github.com/rodata/rodata/service"
)

func init() { caddy.RegisterModule(new(Handler)) }

// Handler is the Caddy handler http.handlers.rodata: the REST channel. It answers all paths under /v1, /api/auth and
// /problems, and the paths /health, /openapi.json and /.well-known/jwks.json. If oauth is on, it also answers paths
// that begin with /.well-known/oauth-. It passes all other requests on. It has no options of its own; its settings
// belong to the app.
type Handler struct{ guest }

// CaddyModule returns the handler's registration.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.rodata", New: func() caddy.Module { return new(Handler) }}
}

// Provision finds the app, and lets it announce its start.
func (h *Handler) Provision(ctx caddy.Context) error {
	if err := h.guest.Provision(ctx); err != nil {
		return err
	}
	return h.app.announceStart(ctx)
}

// ServeHTTP answers a request for one of our paths.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if path := r.URL.Path; !rest.Handles(path) && !auth.Handles(path) && !h.app.isOAuthMetadata(path) {
		return next.ServeHTTP(w, r)
	}
	if hasPage(r) && h.app.servesPage(w, r) {
		return nil
	}
	return h.app.answer(w, r, func(s *service.Service) http.Handler { return s.REST })
}

// hasPage reports whether the site has a page for people at a request's address: about a kind of problem, or a receipt,
// whose printed form names the address.
func hasPage(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/problems/") || strings.HasPrefix(r.URL.Path, "/v1/receipts/")
}

// logPath redacts the secrets in a path.
func logPath(path string) string {
	shown, _ := accesslog.HidePath(path)
	return shown
}

// isOAuthMetadata reports whether a path belongs to the OAuth metadata, which are served only while OAuth is on.
func (a *App) isOAuthMetadata(path string) bool {
	return a.OAuth == "on" && strings.HasPrefix(path, "/.well-known/oauth-")
}

var _ caddy.Provisioner = (*Handler)(nil)
