// Package site serves the pages for people: a front page with a search box, a
// dashboard, guides and a reference of the API, and the state of the registries.
// They are embedded files without a build step, in English and Romanian.
//
// Live pages (live.go) show registry data without scripts: they call the operations of
// the API in process. Other pages are rendered with everything that needs no operation;
// their scripts use the public API like any other client. The Content-Security-Policy
// forbids loading from, or sending to, another host.
package site

import (
	"bytes"
	"html"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
)

// Options describe the service to its pages.
type Options struct {
	// Operations is the table of operations, for the reference and for live pages.
	Operations []*api.Operation
	// Environment is production or sandbox. It decides which companies guides and samples ask for.
	Environment string
	// Gateway answers the operations that live pages call.
	Gateway *api.Gateway
	// Address returns the visitor's address.
	Address func(*http.Request) netip.Addr
	Logger  *slog.Logger
	// URL is the address of the service for a request, without a trailing slash. The
	// examples use it.
	URL func(*http.Request) string
	// Providers are the identity providers that people may sign in with: github,
	// google.
	Providers []string
	// Mails is true when the service sends mails with links to sign in or to set a new
	// password.
	Mails bool
	// Closed is true when sign-up is closed.
	Closed bool
	// Apps is true when OAuth is enabled.
	Apps bool
	// About is what the pages below /about say of the deployment.
	About About
	// Sitemap is what sitemaps list.
	Sitemap Sitemap
}

// Site serves the pages and their assets.
type Site struct {
	url          func(*http.Request) string
	address      func(*http.Request) netip.Addr
	gateway      *api.Gateway
	operations   map[string]*api.Operation // by name
	logger       *slog.Logger
	shell        view // what all pages have in common
	templates    templates
	files        map[string]file // by path
	live         *http.ServeMux
	rendered     *renderedPages
	recent       recentProfiles
	findIndex    [languages]func() []findPage // made by the first search
	sitemap      Sitemap
	companyFiles *companyFiles
}

// file is the content of one address.
type file struct {
	contentType  string
	cacheControl string
	bodies       func() [languages][]byte // may be equal
	foreign      bool                     // pages of other hosts may load it
}

// exampleAddress is the address of the service in the texts of this package; answers
// replace it with the service's own.
const exampleAddress = "http://127.0.0.1:8080"

// New returns the site of a service.
func New(o Options) *Site {
	s := &Site{
		url: o.URL, address: o.Address, gateway: o.Gateway, operations: make(map[string]*api.Operation), logger: o.Logger,
		files: make(map[string]file), live: http.NewServeMux(), rendered: newRenderedPages(),
	}
	for _, op := range o.Operations {
		s.operations[op.Name] = op
	}
	assets := readAssets()
	s.addAssets(assets)

	companies := sampleCompaniesOf(o.Environment)
	s.shell = view{Options: o, Assets: assets.folder, Guides: guidesFor(companies), Sections: newSections(o.Operations, companies)}
	s.addAbout(s.shell)
	s.addPages(s.shell)
	s.addKinds(s.shell)
	s.addOperations(s.shell)
	s.addPlain(s.shell)
	s.addLive(s.shell)
	for l := range languages {
		s.findIndex[l] = sync.OnceValue(func() []findPage { return newFindIndex(l, s.shell.Guides, s.shell.Sections) })
	}
	s.live.HandleFunc("/docs/search", s.serveFind)
	s.addSitemaps(o.Sitemap)
	s.addWidget()
	return s
}

// Has reports whether the site serves a request's path, or redirects it to the one without a
// trailing slash.
func (s *Site) Has(r *http.Request) bool {
	_, ok := s.files[r.URL.Path]
	return ok || s.slashed(r.URL.Path) || s.hasLive(r)
}

// slashed reports whether a path is a page's with a trailing slash.
func (s *Site) slashed(path string) bool {
	page, slash := strings.CutSuffix(path, "/")
	_, ok := s.files[page]
	return ok && slash && page != "/"
}

// ServeHTTP serves the paths that the site has, and 404 for others.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.slashed(r.URL.Path) {
		r.Pattern = strings.TrimSuffix(r.URL.Path, "/")
		http.Redirect(w, r, r.Pattern, http.StatusPermanentRedirect)
		return
	}

	f, ok := s.files[r.URL.Path]
	if !ok {
		s.live.ServeHTTP(w, r)
		return
	}

	r.Pattern = r.URL.Path // one that the site has
	body := bytes.ReplaceAll(f.choose(w, r), []byte(exampleAddress), []byte(html.EscapeString(s.url(r))))
	writeHeader(w.Header(), f, body)
	http.ServeContent(w, withoutRanges(r), "", time.Time{}, bytes.NewReader(body))
}

// choose picks the body in the reader's language, and sets the headers of a choice unless
// the file is the same in all languages.
func (f file) choose(w http.ResponseWriter, r *http.Request) []byte {
	bodies := f.bodies()
	if bytes.Equal(bodies[english], bodies[romanian]) {
		return bodies[english]
	}

	lang := preferred(r)
	writeLanguage(w, r, lang)
	return bodies[lang]
}

// policy restricts a page to its own host, and forbids framing it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func writeHeader(h http.Header, f file, body []byte) {
	writeSecurity(h)
	h.Set("Etag", etagOf(body))
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cacheControl)
	h.Add("Vary", "Accept-Encoding")
	if f.foreign {
		h.Set("Access-Control-Allow-Origin", "*") // modules are loaded with CORS
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
}

// writeSecurity writes the headers that restrict what a page may do.
func writeSecurity(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	// Addresses of the dashboard may carry tokens, which must not leak to other sites.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
}
