package site

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"sync"
	texttemplate "text/template"

	"github.com/rodata/rodata/op/problem"
)

//go:embed pages
var pageFiles embed.FS

// page is a template of the folder pages and the paths that serve it.
type page struct {
	template string
	paths    []string
	script   string // the entry module
}

// pages are all pages except the guides, which share a template. The script of the dashboard chooses what to show by
// the path.
var pages = []page{
	{"front", []string{"/"}, "front.js"},
	{"dashboard", []string{
		"/dashboard", "/dashboard/lists", "/dashboard/monitoring", "/dashboard/keys", "/dashboard/plans",
		"/dashboard/invoices", "/dashboard/account", "/dashboard/sign-in", "/dashboard/sign-up", "/dashboard/forgot",
		"/dashboard/reset", "/dashboard/link",
	}, "dashboard.js"},
	{"check", []string{"/check"}, "check.js"},
	{"docs", []string{"/docs"}, "page.js"},
	{"reference", []string{"/docs/api"}, "page.js"},
	{"status", []string{"/status"}, "status.js"},
	{"widget", []string{"/widget"}, "page.js"},
}

// view is the data of a template.
type view struct {
	Options
	Lang      language
	Path      string
	Assets    string // folder
	Script    string
	Query     template.URL // parameters that a link to the same page repeats: &date=2026-06-10
	Guides    []*guide
	Guide     *guide        // on a guide's page
	Kind      *problem.Kind // on the page of a kind of problem
	Terms     string        // the version of the texts below /about that users accept at sign-up
	Sections  []section
	Operation *operation // on an operation's page
	// Base is the address of the service, without a trailing slash, of a page that is rendered for a request. Data is
	// the data of such a page, and the text below /about.
	Base string
	Data any
}

// Other is the language to switch to.
func (v view) Other() language { return 1 - v.Lang }

// Number is the number of a page of a county's places. The first page has no number: its address is that of the county.
func (v view) Number() int {
	if county, ok := v.Data.(placePage); ok && county.Page > 1 {
		return county.Page
	}
	return 0
}

// Title is a guide's title in the view's language.
func (v view) Title(g *guide) string { return g.Title[v.Lang] }

// Lead is a guide's first paragraph in the view's language.
func (v view) Lead(g *guide) string { return g.Lead[v.Lang] }

const (
	htmlType     = "text/html; charset=utf-8"
	markdownType = "text/markdown; charset=utf-8"
	plainType    = "text/plain; charset=utf-8"
	// revalidated lets browsers store a copy, which they must revalidate before each use.
	revalidated = "no-cache"
)

// addPages adds every page in every language.
func (s *Site) addPages(v view) {
	for _, p := range pages {
		for _, path := range p.paths {
			v.Path, v.Script = path, p.script
			s.addPage(p.template, v)
		}
	}

	for _, g := range v.Guides {
		v.Path, v.Script, v.Guide = g.Path(), "page.js", g
		s.addPage("guide", v)
		s.add(g.Path()+".md", file{
			contentType: markdownType, cacheControl: revalidated,
			bodies: func() [languages][]byte { return g.source },
		})
	}
}

// addKinds adds a page for each kind of problem. Programs get the same documentation from the API.
func (s *Site) addKinds(v view) {
	for _, k := range problem.Kinds {
		v.Path, v.Script, v.Kind = "/problems/"+k.Slug, "page.js", k
		s.addPage("kind", v)
	}
}

// addOperations adds the page of each operation, as HTML and as Markdown.
func (s *Site) addOperations(v view) {
	for _, section := range v.Sections {
		for _, o := range section.Operations {
			v.Path, v.Script, v.Operation = o.Page(), "reference.js", &o
			s.addPage("operation", v)
			s.addText(v.Path+".md", "operation.md", markdownType, v)
		}
	}
}

// addPage adds a page, which is rendered on its first request: after most starts and reloads, and in most tests, most
// pages are never requested.
func (s *Site) addPage(name string, v view) {
	s.add(v.Path, file{contentType: htmlType, cacheControl: revalidated,
		bodies: sync.OnceValue(func() (bodies [languages][]byte) {
			for l := range languages {
				v.Lang = l
				bodies[l] = render(s.templates.get(name, l), v)
			}
			return bodies
		})})
}

// addPlain adds the files for programs, in English: the index of guides for language models, the reference as Markdown,
// and robots.txt.
func (s *Site) addPlain(v view) {
	for _, f := range []struct{ path, template, contentType string }{
		{"/llms.txt", "llms.txt", plainType},
		{"/docs/api.md", "reference.md", markdownType},
		{"/robots.txt", "robots.txt", plainType},
	} {
		s.addText(f.path, f.template, f.contentType, v)
	}
}

// addText adds a file for programs, in English.
func (s *Site) addText(path, name, contentType string, v view) {
	bodies := sync.OnceValue(func() [languages][]byte {
		functions := texttemplate.FuncMap(words{english}.functions())
		t := must(texttemplate.New("").Funcs(functions).ParseFS(pageFiles, "pages/"+name))
		return inEveryLanguage(render(t.Lookup(name), v))()
	})
	s.add(path, file{contentType: contentType, cacheControl: revalidated, bodies: bodies})
}

func render(t interface{ Execute(io.Writer, any) error }, v any) []byte {
	var text bytes.Buffer
	check(t.Execute(&text, v))
	return text.Bytes()
}

// templates caches the parsed templates of pages by name and language. Each template is parsed on first use.
type templates struct{ parsed sync.Map }

// get returns the template of a page in a language, within the layout of all pages.
func (t *templates) get(name string, l language) *template.Template {
	type key struct {
		name string
		lang language
	}
	if found, ok := t.parsed.Load(key{name, l}); ok {
		return found.(*template.Template)
	}

	parsed := must(template.New("").Funcs(words{l}.functions()).Funcs(
		template.FuncMap{"breadcrumbs": breadcrumbs}).ParseFS(pageFiles, "pages/layout.html", "pages/parts.html",
		"pages/listing.html", "pages/"+name+".html"))
	page := parsed.Lookup("layout.html")
	t.parsed.Store(key{name, l}, page)
	return page
}
