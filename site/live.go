package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/coding"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
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

	s.mux.HandleFunc(invoiceDay.pattern, func(w http.ResponseWriter, r *http.Request) {
		s.serveLive(w, r, &invoiceDay)
	})
}

// CallsOperations reports whether the page of a request calls operations. Their rate limit then applies to the
// visitor.
func (s *Site) CallsOperations(r *http.Request) bool {
	_, pattern := s.mux.Handler(r)
	return pattern == watchedPath || pattern == receiptPages.pattern ||
		slices.ContainsFunc(livePages, func(p livePage) bool { return p.pattern == pattern })
}

func (s *Site) serveLive(w http.ResponseWriter, r *http.Request, p *livePage) {
	v := s.visit(r)
	data, err := p.load(v)
	if form, ok := errors.AsType[*refusedForm](err); ok {
		var body []byte
		body, err = s.renderLive(&livePage{template: form.template, script: "page.js"}, v, form.data)
		if err == nil {
			s.writeUncached(w, r, v.lang, http.StatusBadRequest, body)
			return
		}
	}

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

// refusedForm is the error of a form with invalid input. Its page keeps what the visitor entered.
type refusedForm struct {
	template string
	data     any
}

func (f *refusedForm) Error() string { return "a form with invalid input" }

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

// Channel is the channel's name in logs and metrics.
const Channel = "site"

// visit is one view of a live page. All its calls together take one token from the visitor's rate limit, and at most
// one call of the daily allowance: see op.Call.Admitted and op.Call.Counted.
type visit struct {
	*Site
	r        *http.Request
	lang     language
	base     string
	admitted bool            // a call of the view has taken the token of the rate limit
	counted  bool            // a call of the view has counted against the daily allowance
	used     strings.Builder // the inputs that the page depends on: the cache key

	query     url.Values // the parameters that the page has read
	outdated  bool       // an answer was stale
	bySession bool       // calls are made with the visitor's session, and may be charged to the account
	private   bool       // the page is for this visitor only and must not be cached
}

func (s *Site) visit(r *http.Request) *visit {
	v := &visit{Site: s, r: r, lang: preferredLanguage(r), base: s.URL(r), query: make(url.Values)}
	// A page may depend on today's date, for example in the default of a form or in a notice about an old release.
	fmt.Fprintf(&v.used, "%s\n%s\n%s\n%s\n", r.URL.Path, v.lang, v.base, ro.Today())
	return v
}

// key returns the cache key of the rendered page: pages with equal keys are equal. The key is complete once load has
// returned.
func (v *visit) key() string { return v.used.String() }

// param returns a parameter of the address. It adds the parameter to the inputs that the page depends on.
func (v *visit) param(name string) string {
	value := strings.TrimSpace(v.r.URL.Query().Get(name))
	fmt.Fprintf(&v.used, "%s=%q\n", name, value)
	if value != "" {
		v.query.Set(name, value)
	}

	return value
}

// has reports whether the address has a parameter, which may be empty.
func (v *visit) has(name string) bool {
	found := v.r.URL.Query().Has(name)
	fmt.Fprintf(&v.used, "has %s=%t\n", name, found)
	return found
}

// day returns a parameter that is a day, as YYYY-MM-DD. Any other text is returned unchanged, for the operation to
// refuse.
func (v *visit) day(name string) string {
	text := v.param(name)
	day, err := ro.ParseDate(text)
	if err != nil {
		return text
	}

	v.query.Set(name, day.String())
	return day.String()
}

// amount returns a parameter that is an amount: see [language.amount].
func (v *visit) amount(name string) string {
	amount := v.lang.amount(v.param(name))
	if amount != "" {
		v.query.Set(name, amount)
	}
	return amount
}

// ask calls an operation for the visitor, with arguments as alternating names and values, and returns the value of its
// answer, which other calls may share. It leaves out empty arguments. An error is the problem of the operation.
func ask[T any](v *visit, operation string, nameValue ...string) (T, error) {
	return askIn[T](v.r.Context(), v, operation, nameValue...)
}

// askIn is like ask with another context.
func askIn[T any](ctx context.Context, v *visit, operation string, nameValue ...string) (value T, err error) {
	call := v.call(nameValue...)
	reply := v.Gateway.Do(ctx, v.operations[operation], &call)
	v.admitted = true
	if reply.Problem != nil {
		// Pages describe the problem, so they depend on it. It may differ between views: each internal error has
		// another ID.
		fmt.Fprintf(&v.used, "%s: %s %d %q\n", operation, reply.Problem.Kind.Slug, reply.Problem.RetrySeconds(),
			reply.Problem.Detail)
		return value, reply.Problem
	}

	v.counted = v.counted || reply.QuotaName() != ""
	old := !reply.FreshUntil.IsZero() && time.Now().After(reply.FreshUntil)
	v.outdated = v.outdated || old
	fmt.Fprintf(&v.used, "%s: %s %t\n", operation, contentTag(reply), old)
	return reply.Value.(T), nil
}

// call returns a call for the visitor, with arguments as alternating names and values. It leaves out empty arguments.
func (v *visit) call(nameValue ...string) op.Call {
	call := op.Call{
		Channel: Channel, Address: v.Address(v.r), OwnPage: true, Admitted: v.admitted, Counted: v.counted,
		RequestID: op.RequestID(v.r.Header), BaseURL: v.base,
	}
	if v.bySession {
		call.BySession, call.Cookie, call.Site = true, v.r.Header.Get("Cookie"), web.Origin(v.base)
	}

	for i := 0; i+1 < len(nameValue); i += 2 {
		if nameValue[i+1] != "" {
			call.Args = append(call.Args, op.Arg{Name: nameValue[i], Text: nameValue[i+1]})
		}
	}

	return call
}

// contentTag identifies the content of an answer. It ignores how long a search took, because this differs each time
// and no page shows it.
func contentTag(r *op.Reply) string {
	found, ok := r.Value.(company.Page)
	if !ok {
		return r.Document.ETag()
	}

	found.TookMs = 0
	return must(op.EncodeDocument(found)).ETag()
}

// usedSince returns the inputs that were added to used after it had the given length.
func (v *visit) usedSince(length int) string { return v.used.String()[length:] }
