package site

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/coding"
	"github.com/rodata/rodata/op"
)

// livePage is a page with registry data. Each view calls operations in process. The HTML is rendered once for each
// combination of answers and then cached.
type livePage struct {
	pattern          string // of http.ServeMux
	template, script string
	// load calls the operations, and returns the data of the template. What only the rendered page needs is computed by
	// methods of the data, because the cache may have the page for the same answers. An error is either a problem or an
	// internal error.
	load func(*visit) (any, error)
}

// livePages are all live pages.
var livePages = []livePage{
	{"/companies/{cui}", "company", "company.js", loadCompany},
	{"/companies/{cui}/status", "company-status", "company.js", loadCompanyStatus},
	{"/companies/{cui}/history", "company-history", "company.js", loadCompanyHistory},
	{"/companies/{cui}/registers", "company-registers", "company.js", loadCompanyRegisters},
	{"/companies", "companies", "page.js", loadCompanies},
	{"/caen", "caen", "page.js", loadClassification},
	{"/caen/{code}", "activity", "page.js", loadActivity},
	{"/places", "places", "page.js", loadPlaces},
	{"/places/{siruta}", "place", "page.js", loadPlace},
	{"/rates", "rates", "page.js", loadFixing},
	{"/rates/{currency}", "rate", "page.js", loadRate},
}

// addLive adds the live pages. Templates are parsed when they are first needed.
func (s *Site) addLive() {
	for _, p := range livePages {
		s.mux.HandleFunc(p.pattern, func(w http.ResponseWriter, r *http.Request) { s.serveLive(w, r, &p) })
	}
}

// CallsOperations reports whether the page of a request calls operations. Their rate limit then applies to the
// visitor.
func (s *Site) CallsOperations(r *http.Request) bool {
	_, pattern := s.mux.Handler(r)
	return slices.ContainsFunc(livePages, func(p livePage) bool { return p.pattern == pattern })
}

func (s *Site) serveLive(w http.ResponseWriter, r *http.Request, p *livePage) {
	v := s.visit(r)
	data, err := p.load(v)
	var page *op.Document
	if err == nil {
		page, err = s.renderedFor(p, v, data)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}

	v.writeLanguage(w, r, v.lang)
	f := file{contentType: htmlType, cacheControl: revalidated}
	if v.private {
		f.cacheControl = "private, no-store"
	}

	h, body := w.Header(), page.JSON
	f.writeHeader(h, page)
	if form := page.In(coding.Negotiate(r.Header), page.ETag()); form != nil {
		body, h["Etag"], h["Content-Encoding"] = form.Body, form.ETag, form.Encoding
	}

	http.ServeContent(w, withoutRanges(r), "", time.Time{}, bytes.NewReader(body))
}

// renderedFor returns the page of a visit from the cache, or renders it. It does not cache private pages.
func (s *Site) renderedFor(p *livePage, v *visit, data any) (*op.Document, error) {
	render := func() ([]byte, error) { return s.renderLive(p, v, data) }
	if !v.private {
		return s.renderOnce(v.key(), render)
	}

	body, err := render()
	return op.NewDocument(body), err
}

// maxRendered is the maximum size of the cached pages, in bytes.
const maxRendered = 16 << 20

// sizeOfPage returns the memory that a cached page takes, in bytes.
func sizeOfPage(key string, page *op.Document) int {
	return len(key) + len(page.JSON)*3/2 // with two compressed forms, a quarter each at most
}

// renderOnce returns the cached page of a key. If there is none, it renders and caches the page. Concurrent callers may
// render the same page twice.
func (s *Site) renderOnce(key string, render func() ([]byte, error)) (*op.Document, error) {
	if page, ok := s.rendered.Get(key); ok {
		return page, nil
	}

	body, err := render()
	if err != nil {
		return nil, err
	}

	page := op.NewDocument(body)
	s.rendered.Put(key, page)
	return page, nil
}

// renderLive renders a live page in the language of a visit.
func (s *Site) renderLive(p *livePage, v *visit, data any) ([]byte, error) {
	view := s.viewFor(v.r, v.lang, p.script, data)
	view.Query = encodeQuery(v.query)
	return s.renderView(p.template, view)
}

// viewFor returns the view of a page that is rendered for a request.
func (s *Site) viewFor(r *http.Request, lang language, script string, data any) view {
	v := s.shell
	v.Lang, v.Path, v.Script, v.Base, v.Data = lang, r.URL.Path, script, s.URL(r), data
	return v
}

// renderView renders a page for a request, with the service's own address.
func (s *Site) renderView(name string, v view) ([]byte, error) {
	var body bytes.Buffer
	if err := s.templates.get(name, v.Lang).Execute(&body, v); err != nil {
		return nil, fmt.Errorf("rendering %s: %w", v.Path, err)
	}

	return bytes.ReplaceAll(body.Bytes(), []byte(exampleAddress), []byte(template.HTMLEscapeString(v.Base))), nil
}

// encodeQuery encodes the parameters of a page for links to the same page.
func encodeQuery(query url.Values) template.URL {
	if len(query) == 0 {
		return ""
	}
	return template.URL("&" + query.Encode())
}

// withoutRanges removes Range and other optional conditions from a request, because http.ServeContent answers some of
// them with a plain-text error.
func withoutRanges(r *http.Request) *http.Request {
	for _, condition := range []string{"Range", "If-Range", "If-Match"} {
		r.Header.Del(condition)
	}
	return r
}

// WantsPage reports whether a request comes from a browser that shows pages.
func WantsPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}
