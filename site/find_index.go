package site

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/rodata/rodata/internal/spelling"
)

// findPage is a guide or an operation in the index of the documentation search.
type findPage struct {
	Title string
	// Lang is the language of the texts of its parts.
	Lang  language
	Route string // of an operation; empty for a guide
	parts []findPart
}

// findPart is a section of a guide; or the description, a parameter or a field of an operation.
type findPart struct {
	path    string // with a fragment
	heading string
	text    string
	weight  int // of a match in the heading
	names   []string
	words   []string // of the text
}

// Weights of matches. A match in a text counts 1.
const (
	weightOfTitle   = 12
	weightOfHeading = 6
	weightOfField   = 4
)

// newFindIndex returns the search index for a language.
func newFindIndex(l language, guides []*guide, sections []section) []findPage {
	var pages []findPage
	for _, g := range guides {
		pages = append(pages, g.findPage(l))
	}

	for _, s := range sections {
		for _, o := range s.Operations {
			pages = append(pages, o.findPage(l, s.Name(l)))
		}
	}

	return pages
}

// findPage splits a guide at its headings.
func (g *guide) findPage(l language) findPage {
	page := findPage{Title: g.Title[l], Lang: l}
	path, heading, weight := g.Path(), g.Title[l], weightOfTitle
	var body strings.Builder
	end := func() {
		page.add(path, heading, body.String(), weight)
		body.Reset()
	}

	source := g.source[l]
	document := markdown.Parser().Parse(text.NewReader(source))
	for block := document.FirstChild().NextSibling(); block != nil; block = block.NextSibling() {
		if h, ok := block.(*ast.Heading); ok {
			end()
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			path, heading, weight = g.Path()+"#"+string(anchor), plain(h, source), weightOfHeading
			continue
		}

		body.WriteString(textOf(block, source) + " ")
	}

	end()
	return page
}

// textOf returns the text of a block and of all blocks in it, without markup.
func textOf(block ast.Node, source []byte) string {
	var b bytes.Buffer
	check(ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}

		return ast.WalkContinue, nil
	}))
	return b.String()
}

// findPage returns a page with one part for the operation and one for each parameter and field.
func (o operation) findPage(l language, section string) findPage {
	page := findPage{Title: o.Heading(l), Lang: english, Route: o.Method + " " + o.Path}
	page.add(o.Page(), strings.Join([]string{o.Heading(l), o.Title, o.Name, o.Path, section}, " "), o.Description,
		weightOfTitle)
	for _, a := range o.Arguments() {
		page.add(o.Page()+"#parameter-"+a.Name, a.Name, a.Schema.Description+" "+strings.Join(a.Schema.Enum, " "),
			weightOfField)
	}
	if answer := o.Answer(); answer != nil {
		page.addFields(o.Page(), answer.Fields())
	}

	return page
}

func (p *findPage) addFields(path string, fields []field) {
	for _, f := range fields {
		p.add(path+"#field-"+f.Path, f.Path, f.Schema.Description+" "+strings.Join(f.Schema.Enum, " "), weightOfField)
		p.addFields(path, f.Fields())
	}
}

func (p *findPage) add(path, heading, text string, weight int) {
	p.parts = append(p.parts, findPart{path, heading, text, weight, wordsOf(heading), wordsOf(text)})
}

// camel matches the boundary between two words in a name such as vatPayer.
var camel = regexp.MustCompile(`([a-z])([A-Z])`)

// wordsOf returns the distinct folded words of a text. For a name such as vatPayer, it returns both words and also the
// whole name.
func wordsOf(text string) []string {
	folded := spelling.Fold(text)
	if split := camel.ReplaceAllString(text, "$1 $2"); split != text {
		folded += " " + spelling.Fold(split)
	}

	return slices.Compact(slices.Sorted(strings.FieldsSeq(folded)))
}
