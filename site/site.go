// Package site serves the pages for people: a front page with a search box, a dashboard, guides and a reference of the
// API, and the state of the registries. They are made from embedded files, without a build step, in English and
// Romanian.
//
// Live pages (live.go) show registry data without scripts: they call the operations of the API in process. Other pages
// contain no registry data when they are served; their scripts fetch it from the public API like any other client. The
// Content-Security-Policy forbids loading from, or sending to, other hosts.
package site

import (
	"bytes"
	"html"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
)

// Options describe the service to its pages.
type Options struct {
	// Operations is the table of operations, for the reference and for live pages.
	Operations []*op.Operation
	// Environment is production or sandbox. It determines the companies in guides and samples.
	Environment string
	// Gateway answers the operations that live pages call.
	Gateway *op.Gateway
	// Address returns the visitor's address.
	Address func(*http.Request) netip.Addr
	Logger  *slog.Logger
	// URL returns the address of the service as in a request, without a trailing slash. The examples use it.
	URL func(*http.Request) string
	// Providers are the identity providers for sign-in: github, google.
	Providers []string
	// Mails is true if the service sends mails with links to sign in or to set a new password.
	Mails bool
	// Closed is true if sign-up is closed.
	Closed bool
	// Apps is true if OAuth is enabled.
	Apps bool
	// About contains the deployment's own content for the pages below /about.
	About About
	// Sitemap is what sitemaps list.
	Sitemap Sitemap
}

// Site serves the pages and their assets.
type Site struct {
	Options
	operations   map[string]*op.Operation // by name
	shell        view                     // what all pages have in common
	templates    templates
	files        map[string]file                      // by path
	mux          *http.ServeMux                       // serves the files and all that depends on the request
	rendered     *recent.Memory[string, *op.Document] // by the inputs that a page depends on
	profiles     *recent.Memory[string, recentProfile]
	findIndex    [languages]func() []findPage // built by the first search
	companyFiles *companyFiles
}

// file is the content of one address.
type file struct {
	contentType  string
	cacheControl string
	bodies       func() [languages][]byte // may be equal
	crossOrigin  bool                     // pages of other hosts may load it
}

// exampleAddress is the address of the service in the texts of this package. Pages show the real address instead.
const exampleAddress = "http://127.0.0.1:8080"

// New returns the site of a service.
func New(o Options) *Site {
	s := &Site{
		Options: o, operations: make(map[string]*op.Operation), files: make(map[string]file), mux: http.NewServeMux(),
		rendered: recent.NewSized(maxRendered, sizeOfPage), profiles: recent.New[string, recentProfile](maxRecent),
	}
	for _, operation := range o.Operations {
		s.operations[operation.Name] = operation
	}

	assets := readAssets()
	s.addAssets(assets)

	companies := sampleCompaniesOf(o.Environment)
	s.shell = view{Options: o, Assets: assets.folder, Guides: guidesOf[companies.invented](),
		Sections: newSections(o.Operations, companies)}
	s.addAbout(s.shell)
	s.addPages(s.shell)
	s.addKinds(s.shell)
	s.addOperations(s.shell)
	s.addPlain(s.shell)
	s.addLive()
	s.addReceipts()
	for l := range languages {
		s.findIndex[l] = sync.OnceValue(func() []findPage { return newFindIndex(l, s.shell.Guides, s.shell.Sections) })
	}

	s.mux.HandleFunc("/docs/search", s.serveFind)
	s.mux.HandleFunc(watchedPath, s.serveWatched)
	s.addSitemaps()
	s.addWidget()
	return s
}

// Has reports whether the site serves a request's path, or redirects it to the path without a trailing slash.
func (s *Site) Has(r *http.Request) bool {
	_, pattern := s.mux.Handler(r)
	return pattern != "" && web.HasCleanPath(r)
}

// ServeHTTP serves the paths that the site has, and 404 for others.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// add adds a file. The path with an additional slash redirects to it.
func (s *Site) add(path string, f file) {
	s.files[path] = f
	pattern := path
	if path == "/" {
		pattern = "/{$}"
	} else {
		s.mux.Handle(path+"/{$}", http.RedirectHandler(path, http.StatusPermanentRedirect))
	}

	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = path // for the access log
		body := bytes.ReplaceAll(s.choose(f, w, r), []byte(exampleAddress), []byte(html.EscapeString(s.URL(r))))
		f.serve(w, r, body)
	})
}

// serve answers with a body and the headers of the file.
func (f file) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	f.writeHeader(w.Header(), op.NewDocument(body))
	http.ServeContent(w, withoutRanges(r), "", time.Time{}, bytes.NewReader(body))
}

// choose returns the body in the reader's language. If the languages differ, it also sets the headers for a page that
// depends on the language.
func (s *Site) choose(f file, w http.ResponseWriter, r *http.Request) []byte {
	bodies := f.bodies()
	if bytes.Equal(bodies[english], bodies[romanian]) {
		return bodies[english]
	}

	lang := preferredLanguage(r)
	s.writeLanguage(w, r, lang)
	return bodies[lang]
}

// policy restricts a page to its own host, and forbids framing it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// writeHeader sets the headers of a file with a body.
func (f file) writeHeader(h http.Header, body *op.Document) {
	writeSecurity(h)
	h.Set("Etag", body.ETag())
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cacheControl)
	h.Add("Vary", "Accept-Encoding")
	if f.crossOrigin {
		h.Set("Access-Control-Allow-Origin", "*") // modules are loaded with CORS
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
}

// writeSecurity writes the headers that restrict what a page may do.
func writeSecurity(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	// Addresses of the dashboard may contain tokens, which must not leak to other sites.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
}
