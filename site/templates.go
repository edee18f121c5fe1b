package site

import (
	"html/template"
	"sync"
)

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
