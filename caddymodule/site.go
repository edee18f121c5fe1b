package caddymodule

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/site"
)

func init() {
	caddy.RegisterModule(new(SiteHandler))
	httpcaddyfile.RegisterHandlerDirective("rodata_site", parseSite)
	// After the API, whose requests need not pass through here, and after handle and route,
	// so that an operator can replace the front page.
	httpcaddyfile.RegisterDirectiveOrder("rodata_site", httpcaddyfile.After, "route")
}

// SiteHandler is the Caddy handler http.handlers.rodata_site: the site. It answers requests
// for its pages and passes all others on. It has no options.
type SiteHandler struct {
	app *App
}

// CaddyModule returns the handler's registration.
func (*SiteHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.rodata_site", New: func() caddy.Module { return new(SiteHandler) }}
}

// Provision finds the app.
func (h *SiteHandler) Provision(ctx caddy.Context) (err error) {
	h.app, err = findApp(ctx)
	return err
}

// ServeHTTP answers a request for a page or what it loads.
func (h *SiteHandler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	s := h.app.enter()
	if s == nil {
		h.app.refuseRestarting(w, r)
		return nil
	}
	if !s.site.Has(r.URL.Path) {
		s.leave() // the next handler may take long
		return next.ServeHTTP(w, r)
	}
	defer s.leave()
	s.rest.ServePage(w, r, s.site)
	return nil
}

// newSite returns the pages of a service.
func (s *service) newSite(a *App) *site.Site {
	o := site.Options{
		Operations: s.operations, URL: a.URL,
		Mails: s.auth.Mailer != nil, Closed: s.auth.SignUpClosed, Apps: s.oauth != nil,
	}
	for _, p := range s.auth.Providers {
		o.Providers = append(o.Providers, p.Name())
	}
	return site.New(o)
}

// parseSite reads the directive rodata_site, which has no options.
func parseSite(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next() // the directive's name
	return new(SiteHandler), option.Table{}.Parse(h.Dispenser)
}

var (
	_ caddy.Provisioner           = (*SiteHandler)(nil)
	_ caddyhttp.MiddlewareHandler = (*SiteHandler)(nil)
)
