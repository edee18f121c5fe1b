package site

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"sync"
	texttemplate "text/template"
)

//go:embed pages
var pageFiles embed.FS

// page is a template of the folder pages and the paths that serve it.
type page struct {
	template string
	paths    []string
	script   string // the entry module
}

// pages are all pages except the guides, which share a template. The dashboard's script
// shows the part that belongs to the path.
var pages = []page{
	{"front", []string{"/"}, "front.js"},
	{"dashboard", []string{"/dashboard", "/dashboard/lists", "/dashboard/monitoring", "/dashboard/keys", "/dashboard/plans", "/dashboard/invoices",
		"/dashboard/account",
		"/dashboard/sign-in", "/dashboard/sign-up", "/dashboard/forgot", "/dashboard/reset", "/dashboard/link"},
		"dashboard.js"},
	{"docs", []string{"/docs"}, "page.js"},
	{"reference", []string{"/docs/api"}, "reference.js"},
	{"status", []string{"/status"}, "status.js"},
	{"widget", []string{"/widget"}, "page.js"},
}

// view is the data of a template.
type view struct {
	Options
	Lang, Other language
	Path        string
	Assets      string // folder
	Script      string
	Guides      []*guide
	Guide       *guide // on a guide's page
	Sections    []section
}

// Title is a guide's title in the view's language.
func (v view) Title(g *guide) string { return g.Title[v.Lang] }

// Lead is a guide's first paragraph in the view's language.
func (v view) Lead(g *guide) string { return g.Lead[v.Lang] }

// Body is the guide's text in the view's language.
func (v view) Body() template.HTML { return v.Guide.html[v.Lang] }

const (
	htmlType     = "text/html; charset=utf-8"
	markdownType = "text/markdown; charset=utf-8"
	plainType    = "text/plain; charset=utf-8"
	// checked lets browsers keep a copy that they revalidate each time.
	checked = "no-cache"
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
		s.add(g.Path()+".md", file{contentType: markdownType, cacheControl: checked, bodies: func() [languages][]byte { return g.source }})
	}
}

// addPage adds a page, which is rendered when it is first asked for: most starts and
// reloads of the service, and most tests, never show most pages.
func (s *Site) addPage(name string, v view) {
	s.add(v.Path, file{contentType: htmlType, cacheControl: checked, bodies: sync.OnceValue(func() (bodies [languages][]byte) {
		for l := range languages {
			v.Lang, v.Other = l, l.other()
			functions := template.FuncMap{"t": readTexts().in(l)}
			t := must(template.New("").Funcs(functions).ParseFS(pageFiles, "pages/layout.html", "pages/"+name+".html"))
			bodies[l] = render(t.Lookup("layout.html"), v)
		}
		return bodies
	})})
}

// addPlain adds the files for programs, in English: the index of guides for language
// models, the reference as Markdown, and robots.txt.
func (s *Site) addPlain(v view) {
	for _, f := range []struct{ path, template, contentType string }{
		{"/llms.txt", "llms.txt", plainType},
		{"/docs/api.md", "reference.md", markdownType},
		{"/robots.txt", "robots.txt", plainType},
	} {
		s.add(f.path, file{contentType: f.contentType, cacheControl: checked, bodies: sync.OnceValue(func() [languages][]byte {
			functions := texttemplate.FuncMap{"t": readTexts().in(english)}
			t := must(texttemplate.New("").Funcs(functions).ParseFS(pageFiles, "pages/"+f.template))
			return everywhere(render(t.Lookup(f.template), v))()
		})})
	}
}

func render(t interface{ Execute(io.Writer, any) error }, v view) []byte {
	var text bytes.Buffer
	check(t.Execute(&text, v))
	return text.Bytes()
}
