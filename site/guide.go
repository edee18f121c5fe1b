package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed guides
var guideFiles embed.FS

// guideNames are the guides in reading order. Each is a file NAME.md in English and
// NAME.ro.md in Romanian.
var guideNames = []string{"first-request", "errors", "freshness", "mcp", "caen-rev2", "invoices"}

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

func readGuides() ([]*guide, error) {
	var guides []*guide
	for _, name := range guideNames {
		g := &guide{Name: name}
		for l, ending := range [languages]string{".md", ".ro.md"} {
			source, err := guideFiles.ReadFile("guides/" + name + ending)
			if err != nil {
				return nil, err
			}
			if err := g.read(language(l), source); err != nil {
				return nil, fmt.Errorf("%s%s: %w", name, ending, err)
			}
		}

		guides = append(guides, g)
	}

	return guides, nil
}

func (g *guide) read(l language, source []byte) error {
	document := markdown.Parser().Parse(text.NewReader(source))
	title, ok := document.FirstChild().(*ast.Heading)
	if !ok {
		return fmt.Errorf("it must begin with its title")
	}

	lead, ok := title.NextSibling().(*ast.Paragraph)
	if !ok {
		return fmt.Errorf("a paragraph must follow the title")
	}

	g.source[l], g.Title[l], g.Lead[l] = source, plain(title, source), plain(lead, source)
	if err := ast.Walk(document, pageLink); err != nil {
		return err
	}

	var html bytes.Buffer
	if err := markdown.Renderer().Render(&html, source, document); err != nil {
		return err
	}

	g.html[l] = template.HTML(html.String())
	return nil
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
