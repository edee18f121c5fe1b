// Package site serves the pages for people: a front page with a search box, a
// dashboard, guides and a reference of the API, and the state of the registries.
// They are embedded files without a build step, in English and Romanian, and use
// the public API like any other client.
//
// Pages are rendered on the server with everything that needs no API call; scripts add
// the rest. The Content-Security-Policy forbids loading from, or sending to, another
// host.
package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// Options describe the service to its pages.
type Options struct {
	// Operations is the table of operations, for the reference.
	Operations []*api.Operation
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
}

// Site serves the pages and their assets.
type Site struct {
	url   func(*http.Request) string
	files map[string]file // by path
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
	s := &Site{url: o.URL, files: make(map[string]file)}
	assets := readAssets()
	s.addAssets(assets)

	v := view{Options: o, Assets: assets.folder, Guides: readGuides(), Sections: newSections(o.Operations)}
	s.addPages(v)
	s.addPlain(v)
	s.addWidget()
	return s
}

// Has reports whether the site serves a path, or redirects it to the one without a
// trailing slash.
func (s *Site) Has(path string) bool {
	_, ok := s.files[path]
	return ok || s.slashed(path)
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
		http.Redirect(w, r, strings.TrimSuffix(r.URL.Path, "/"), http.StatusPermanentRedirect)
		return
	}

	f, ok := s.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}

	body := bytes.ReplaceAll(f.choose(w, r), []byte(exampleAddress), []byte(html.EscapeString(s.url(r))))
	writeHeader(w.Header(), f, body)
	for _, condition := range []string{"Range", "If-Range", "If-Match"} {
		r.Header.Del(condition) // optional to honour; http.ServeContent would refuse some with a line of text
	}

	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// choose picks the body in the reader's language, and sets the headers of a choice unless
// the file is the same in all languages.
func (f file) choose(w http.ResponseWriter, r *http.Request) []byte {
	bodies := f.bodies()
	if bytes.Equal(bodies[english], bodies[romanian]) {
		return bodies[english]
	}

	lang := preferred(r)
	w.Header().Set("Content-Language", lang.String())
	w.Header().Add("Vary", "Accept-Language, Cookie")
	if asked, ok := parseLanguage(r.URL.Query().Get("lang")); ok {
		http.SetCookie(w, remember(asked, r.TLS != nil))
	}

	return bodies[lang]
}

// policy restricts a page to its own host, and forbids framing it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func writeHeader(h http.Header, f file, body []byte) {
	sum := sha256.Sum256(body)
	h.Set("Etag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cacheControl)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	// Addresses of the dashboard may carry tokens, which must not leak to other sites.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	if f.foreign {
		h.Set("Access-Control-Allow-Origin", "*") // modules are loaded with CORS
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
}
