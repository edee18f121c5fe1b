// Package site is the pages that people see: a front page with a search box, a
// dashboard, guides and a reference of the API, and the state of the registries.
// They are embedded files without a build step, in English and Romanian, and use
// the public API as any other client could.
//
// A page is complete on the server: what can be said without asking the API
// stands in its HTML. Scripts add the rest. The Content-Security-Policy lets
// nothing load from, or be sent to, another host.
package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// Options is what the pages need to know of the service.
type Options struct {
	// Operations is the table that the reference of the API shows.
	Operations []*api.Operation
	// URL is the address of the service as a request names it, without a slash
	// at the end: it stands in the examples.
	URL func(*http.Request) string
	// Providers are the other services by way of which people may sign in: github,
	// google.
	Providers []string
	// Mails says that the service sends mails: a link to sign in, or for a new
	// password.
	Mails bool
	// Closed says that nobody can open an account by signing up.
	Closed bool
	// Apps says that people can allow programs the use of their accounts (OAuth).
	Apps bool
}

// Site answers for all pages and what they load.
type Site struct {
	url   func(*http.Request) string
	files map[string]file // by path
}

// file is what stands at one address.
type file struct {
	contentType  string
	cacheControl string
	bodies       [languages][]byte // may be the same
}

// exampleAddress is the address of the service in the texts of this package; the
// reader sees that of the service in its place.
const exampleAddress = "http://127.0.0.1:8080"

// New renders all pages. An error is a mistake in the embedded files.
func New(o Options) (*Site, error) {
	s := &Site{url: o.URL, files: make(map[string]file)}
	assets, err := s.addAssets()
	if err != nil {
		return nil, fmt.Errorf("reading the assets: %w", err)
	}
	guides, err := readGuides()
	if err != nil {
		return nil, fmt.Errorf("reading the guides: %w", err)
	}
	if err := s.addPages(view{Options: o, Assets: assets, Guides: guides, Sections: newSections(o.Operations)}); err != nil {
		return nil, fmt.Errorf("rendering the pages: %w", err)
	}
	return s, nil
}

// Has reports whether there is something at a path, be it only the address
// without a slash at the end.
func (s *Site) Has(path string) bool {
	_, ok := s.files[path]
	return ok || s.slashed(path)
}

// slashed reports whether a path is a page's but for a slash at its end.
func (s *Site) slashed(path string) bool {
	page, slash := strings.CutSuffix(path, "/")
	_, ok := s.files[page]
	return ok && slash && page != "/"
}

// ServeHTTP answers for a path that the site has, and 404 for others.
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
	lang := f.choose(w, r)
	body := bytes.ReplaceAll(f.bodies[lang], []byte(exampleAddress), []byte(html.EscapeString(s.url(r))))
	writeHeader(w.Header(), f, body)
	for _, condition := range []string{"Range", "If-Range", "If-Match"} {
		r.Header.Del(condition) // may be ignored; else some were refused with a line of text
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// choose picks the language of the answer. Files that are the same in all say
// nothing of it.
func (f file) choose(w http.ResponseWriter, r *http.Request) language {
	if bytes.Equal(f.bodies[english], f.bodies[romanian]) {
		return english
	}
	lang := preferred(r)
	w.Header().Set("Content-Language", lang.String())
	w.Header().Add("Vary", "Accept-Language, Cookie")
	if asked, ok := parseLanguage(r.URL.Query().Get("lang")); ok {
		http.SetCookie(w, remember(asked, r.TLS != nil))
	}
	return lang
}

// policy lets a page load and reach what stands on its own host, and nothing
// else; and no other page frame it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func writeHeader(h http.Header, f file, body []byte) {
	sum := sha256.Sum256(body)
	h.Set("Etag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cacheControl)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	// Addresses of the dashboard carry tokens: they are nobody else's business.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
}
