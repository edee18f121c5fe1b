package site

import (
	"bytes"
	"embed"
	"html/template"
	"regexp"
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

// Body is its text in a language.
func (g *guide) Body(l language) template.HTML { return g.html[l] }

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
	g.source[l] = source
	if title := document.FirstChild(); title != nil { // an operator's own text may be empty
		g.Title[l], g.Lead[l] = plain(title, source), plain(title.NextSibling(), source)
	}

	check(ast.Walk(document, pageLink))
	var html bytes.Buffer
	check(markdown.Renderer().Render(&html, source, document))
	g.html[l] = template.HTML(html.String())
}

// plain is the text of a block; empty for none.
func plain(block ast.Node, source []byte) string {
	if block == nil {
		return ""
	}
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

// Guides are written for the sandbox, and a test runs them against it. Text for one kind of deployment stands between
// comments: <!-- sandbox -->text<!-- elsewhere -->other text<!-- end -->.
var (
	forSandbox = regexp.MustCompile(`(?s)<!-- sandbox -->\n?(.*?)(?:<!-- elsewhere -->(.*?))?<!-- end -->`)
	codeBlock  = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```\n")
)

// guide returns the text of a guide for the deployment. With real registries, the requests are changed to ask for real
// companies. The printed answers stay and are marked as answers of the sandbox.
func (c sampleCompanies) guide(source string, w words) string {
	if c.invented {
		return forSandbox.ReplaceAllString(source, "$1")
	}

	source = forSandbox.ReplaceAllString(source, "$2")

	var text strings.Builder
	for {
		at := codeBlock.FindStringSubmatchIndex(source)
		if at == nil {
			return text.String() + c.replaceIn(source)
		}

		text.WriteString(c.replaceIn(source[:at[0]]))
		block, language, code := source[at[0]:at[1]], source[at[2]:at[3]], source[at[4]:at[5]]
		if language == "console" {
			text.WriteString(block + "\n" + w.say("reference.invented") + " " + w.say("reference.here") +
				"\n\n```sh\n" + c.replaceIn(commandsIn(code)) + "```\n")
		} else {
			text.WriteString(c.replaceIn(block))
		}

		source = source[at[1]:]
	}
}

// commandsIn returns the commands in the text of a console, without the prompts.
func commandsIn(console string) string {
	var commands strings.Builder
	continued := false
	for line := range strings.Lines(console) {
		command, begins := strings.CutPrefix(line, "$ ")
		if begins || continued {
			commands.WriteString(command)
			continued = strings.HasSuffix(line, "\\\n")
		}
	}

	return commands.String()
}

// sampleCompanies are the companies in the guides and samples of a deployment. The registries of the deployment know
// them.
type sampleCompanies struct {
	// invented is true in the sandbox. Its guides need no other companies, because guides are written for the sandbox.
	invented bool
	replacer *strings.Replacer
}

// In the sandbox, the numbers in the examples of operations are replaced by numbers of invented companies. In other
// deployments, the invented companies of the guides are replaced by large, well-known companies.
var (
	inSandbox = sampleCompanies{invented: true,
		replacer: strings.NewReplacer("14399840", "9900000010", "1590082", "9900000029")}
	elsewhere = sampleCompanies{replacer: strings.NewReplacer(
		"9900000010", "14399840", "9900000096", "14399840", "9900000118", "14399840", "9900000134", "14399840",
		"9900000029", "1590082", "9900009990", "1590082",
		"exemplu%20transilvan", "dante%20international", "exemplu%20tr", "dante%20int",
	)}
)

// sampleCompaniesOf returns the companies for an environment.
func sampleCompaniesOf(environment string) sampleCompanies {
	if environment == "sandbox" {
		return inSandbox
	}
	return elsewhere
}

// replaceIn replaces the companies in a text by companies that the deployment knows.
func (c sampleCompanies) replaceIn(text string) string { return c.replacer.Replace(text) }
