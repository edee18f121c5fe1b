package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
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
	{"dashboard", []string{"/dashboard", "/dashboard/keys", "/dashboard/plans", "/dashboard/invoices", "/dashboard/account",
		"/dashboard/sign-in", "/dashboard/sign-up", "/dashboard/forgot", "/dashboard/reset", "/dashboard/link"}, "dashboard.js"},
	{"docs", []string{"/docs"}, "page.js"},
	{"reference", []string{"/docs/api"}, "reference.js"},
	{"status", []string{"/status"}, "status.js"},
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

// addPages renders every page in every language.
func (s *Site) addPages(v view) error {
	sentences, err := readTexts()
	if err != nil {
		return err
	}

	for _, p := range pages {
		for _, path := range p.paths {
			v.Path, v.Script = path, p.script
			if err := s.addPage(p.template, v, sentences); err != nil {
				return err
			}
		}
	}

	for _, g := range v.Guides {
		v.Path, v.Script, v.Guide = g.Path(), "page.js", g
		if err := s.addPage("guide", v, sentences); err != nil {
			return err
		}
		s.add(g.Path()+".md", file{markdownType, checked, g.source})
	}

	v.Lang = english
	return s.addPlain(v, sentences)
}

func (s *Site) addPage(name string, v view, sentences texts) error {
	f := file{contentType: htmlType, cacheControl: checked}
	for l := range languages {
		v.Lang, v.Other = l, l.other()
		t, err := template.New("").Funcs(template.FuncMap{"t": sentences.in(l)}).ParseFS(pageFiles, "pages/layout.html", "pages/"+name+".html")
		if err != nil {
			return err
		}

		var html bytes.Buffer
		if err := t.ExecuteTemplate(&html, "layout.html", v); err != nil {
			return fmt.Errorf("%s: %w", v.Path, err)
		}

		f.bodies[l] = html.Bytes()
	}

	s.add(v.Path, f)
	return nil
}

// addPlain adds the files for programs, in English: the index of guides for language
// models, the reference as Markdown, and robots.txt.
func (s *Site) addPlain(v view, sentences texts) error {
	for path, contentType := range map[string]string{"/llms.txt": plainType, "/docs/api.md": markdownType, "/robots.txt": plainType} {
		name := path[len("/"):]
		if path == "/docs/api.md" {
			name = "reference.md"
		}

		t, err := texttemplate.New(name).Funcs(texttemplate.FuncMap{"t": sentences.in(english)}).ParseFS(pageFiles, "pages/"+name)
		if err != nil {
			return err
		}

		var text bytes.Buffer
		if err := t.Execute(&text, v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}

		s.add(path, file{contentType, checked, everywhere(text.Bytes())})
	}
	return nil
}
