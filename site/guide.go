package site

import (
	"bytes"
	"embed"
	"html/template"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed guides
var guideFiles embed.FS

// guideNames are the guides in reading order. Each is a file NAME.md in English and NAME.ro.md in Romanian.
var guideNames = []string{
	"first-request", "errors", "freshness", "many-companies", "spreadsheets", "releases", "invoice-day", "registers",
	"vat-numbers", "receipts", "suppliers", "drop-in", "clients", "company-search", "mcp", "caen-rev2", "invoices",
	"bank-days",
}

// guide is a page of the documentation, written in Markdown.
type guide struct {
	Name   string
	Title  [languages]string
	Lead   [languages]string // its first paragraph
	source [languages][]byte
	html   [languages]template.HTML
}

// Path is the guide's address.
func (g *guide) Path() string { return "/docs/" + g.Name }

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

// guidesOf reads the embedded guides once for each kind of deployment: whether its companies are invented.
var guidesOf = map[bool]func() []*guide{
	true:  sync.OnceValue(func() []*guide { return readGuides(inSandbox) }),
	false: sync.OnceValue(func() []*guide { return readGuides(elsewhere) }),
}

func readGuides(c sampleCompanies) []*guide {
	var guides []*guide
	for _, name := range guideNames {
		g := &guide{Name: name}
		for l, ending := range [languages]string{".md", ".ro.md"} {
			source := string(must(guideFiles.ReadFile("guides/" + name + ending)))
			g.read(language(l), []byte(c.guide(source, words{language(l)})))
		}

		guides = append(guides, g)
	}

	return guides
}

// read parses the text of a guide in a language. The text begins with the title and the lead.
func (g *guide) read(l language, source []byte) {
	document := markdown.Parser().Parse(text.NewReader(source))
	title := document.FirstChild()
	g.source[l], g.Title[l], g.Lead[l] = source, plain(title, source), plain(title.NextSibling(), source)
	check(ast.Walk(document, pageLink))
	g.html[l] = renderMarkdown(document, source)
}

func renderMarkdown(document ast.Node, source []byte) template.HTML {
	var html bytes.Buffer
	check(markdown.Renderer().Render(&html, source, document))
	return template.HTML(html.String())
}

// plain is the text of a block.
func plain(block ast.Node, source []byte) string {
	return strings.ReplaceAll(strings.ReplaceAll(string(block.Lines().Value(source)), "\n", " "), "`", "")
}

// pageLink rewrites a link to a guide's file into a link to its page.
func pageLink(node ast.Node, entering bool) (ast.WalkStatus, error) {
	link, ok := node.(*ast.Link)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}

	name, fragment, _ := strings.Cut(string(link.Destination), "#")
	if name, ok = strings.CutSuffix(name, ".md"); !ok || strings.Contains(name, "/") {
		return ast.WalkContinue, nil
	}

	page := "/docs/" + strings.TrimSuffix(name, ".ro")
	if fragment != "" {
		page += "#" + fragment
	}

	link.Destination = []byte(page)
	return ast.WalkContinue, nil
}
