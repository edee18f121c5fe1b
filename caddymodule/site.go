package caddymodule

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"unicode/utf8"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/site"
)

func init() {
	caddy.RegisterModule(new(SiteHandler))
	httpcaddyfile.RegisterHandlerDirective("rodata_site", parseSite)
	// The handler runs after the API, so that API requests do not pass through it, and after handle and route, so that
	// an operator can replace the front page.
	httpcaddyfile.RegisterDirectiveOrder("rodata_site", httpcaddyfile.After, "route")
}

// SiteHandler is the Caddy handler http.handlers.rodata_site: the site. It answers requests
// for its pages and passes all others on.
type SiteHandler struct {
	// Operator is the name of the person or company that runs the deployment, for the pages below /about. Default: not
	// stated.
	Operator string `json:"operator,omitempty"`
	// Terms and Privacy are files with the operator's terms of use and privacy statement, in Markdown that
	// begins with a title: one for both languages, or one in English and one in Romanian. Default: texts
	// that describe the software.
	Terms   []string `json:"terms,omitempty"`
	Privacy []string `json:"privacy,omitempty"`
	// Sitemap is "companies" to list every company in operation for search engines. Default: sitemaps list only other
	// pages.
	Sitemap string `json:"sitemap,omitempty"`

	guest
}

// CaddyModule returns the handler's registration.
func (*SiteHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.rodata_site", New: func() caddy.Module { return new(SiteHandler) }}
}

// Provision finds the app, and reads the texts.
func (h *SiteHandler) Provision(ctx caddy.Context) (err error) {
	if err := h.guest.Provision(ctx); err != nil {
		return err
	}

	about := site.About{Operator: h.Operator}
	if about.Terms, err = readText("terms", h.Terms); err != nil {
		return err
	}
	if about.Privacy, err = readText("privacy", h.Privacy); err != nil {
		return err
	}
	if err := checkSitemap(h.Sitemap); err != nil {
		return fmt.Errorf("sitemap: %w", err)
	}

	h.app.about, h.app.sitemap = about, h.Sitemap == listCompanies
	h.app.pages.Store(true)
	return nil
}

// listCompanies is the only value of the option sitemap.
const listCompanies = "companies"

func checkSitemap(value string) error {
	if value != "" && value != listCompanies {
		return fmt.Errorf("%q is unknown; use %s", value, listCompanies)
	}
	return nil
}

// largestText bounds an operator's text, in bytes.
const largestText = 1 << 20

// readText reads the files of an option: none, one, or one for each language.
func readText(option string, files []string) (text site.Text, err error) {
	if len(files) > len(text) {
		return text, fmt.Errorf("%s: %d files; name one, or one in English and one in Romanian", option, len(files))
	}

	for i, name := range files {
		content, err := os.ReadFile(name)
		switch {
		case err != nil:
			return text, fmt.Errorf("reading the file of the option %s: %w", option, err)
		case len(content) > largestText || !utf8.Valid(content) || len(bytes.TrimSpace(content)) == 0:
			return text, fmt.Errorf("%s: %s is not a text in UTF-8 of at most 1 MiB", option, name)
		}

		for l := i; l < len(text); l++ { // the first file is also used for a language without its own file
			text[l] = string(content)
		}
	}

	return text, nil
}

// ServeHTTP answers a request for a page or its assets.
func (h *SiteHandler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	s := h.app.enter()
	if s == nil {
		h.app.refuseRestarting(w, r)
		return nil
	}
	if !s.Site.Has(r) {
		s.Leave() // because the next handler may take long
		return next.ServeHTTP(w, r)
	}
	defer s.Leave()

	switch {
	case s.Site.TakesForm(r):
		s.REST.ServeForm(w, r, s.Site)
	case s.Site.CallsOperations(r):
		s.REST.ServeLivePage(w, r, s.Site)
	default:
		s.REST.ServePage(w, r, s.Site)
	}

	return nil
}

// servesProblem answers a browser with a page about a problem, if the site is served.
func (a *App) servesProblem(w http.ResponseWriter, r *http.Request, p *problem.Problem) bool {
	return a.servesBrowser(w, r, func(s *site.Site) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeProblem(w, r, p) })
	})
}

// servesPage answers a browser with the site's page at an address of the API, or with a page that says that no such
// page exists.
func (a *App) servesPage(w http.ResponseWriter, r *http.Request) bool {
	return a.servesBrowser(w, r, func(s *site.Site) http.Handler {
		if s.Has(r) {
			return s
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.ServeProblem(w, r, &problem.Problem{Kind: problem.NotFound})
		})
	})
}

// servesBrowser answers a browser with a page, if the site is served.
func (a *App) servesBrowser(w http.ResponseWriter, r *http.Request, page func(*site.Site) http.Handler) bool {
	if !a.pages.Load() || !site.WantsPage(r) {
		return false
	}

	s := a.enter()
	if s == nil {
		return false
	}
	defer s.Leave()

	w.Header().Add("Vary", "Accept")
	s.REST.ServePage(w, r, page(s.Site))
	return true
}

// parseSite reads the directive rodata_site.
func parseSite(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next() // the directive's name
	s := new(SiteHandler)
	return s, option.Table{
		"operator": option.Text(&s.Operator), "terms": option.Words(&s.Terms), "privacy": option.Words(&s.Privacy),
		"sitemap": option.Text(&s.Sitemap, checkSitemap),
	}.Parse(h.Dispenser)
}

var _ caddy.Provisioner = (*SiteHandler)(nil)
