package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"strings"

	"github.com/yuin/goldmark/text"
)

// About contains the deployment's own content for the pages below /about.
type About struct {
	// Operator is the name of the person or company that runs the deployment; empty if it is not stated.
	Operator string
	// Terms and Privacy are the operator's own texts, in Markdown that begins with a title. Default: general texts
	// about the software.
	Terms, Privacy Text
}

// Text is a text in English and Romanian. Without a translation, both are equal.
type Text [languages]string

//go:embed about
var aboutFiles embed.FS

// aboutText is a page below /about.
type aboutText struct {
	Title [languages]string
	html  [languages]template.HTML
}

// readAbout renders an operator's text, or the default text of a name.
func readAbout(name string, own Text, operator string) *aboutText {
	page := new(aboutText)
	for l, ending := range [languages]string{".md", ".ro.md"} {
		source := []byte(own[l])
		if own == (Text{}) {
			source = must(aboutFiles.ReadFile("about/" + name + ending))
			source = bytes.ReplaceAll(source, []byte("{operator}"), []byte(words{language(l)}.operator(operator)))
		}

		page.read(language(l), source)
	}

	return page
}

func (p *aboutText) read(l language, source []byte) {
	document := markdown.Parser().Parse(text.NewReader(source))
	if first := document.FirstChild(); first != nil {
		p.Title[l] = plain(first, source)
	}

	p.html[l] = renderMarkdown(document, source)
}

// operator returns a sentence that names the operator.
func (w words) operator(name string) string {
	if name == "" {
		return w.say("about.noOperator")
	}
	return w.say("about.operator", "name", strings.NewReplacer("<", "&lt;", "&", "&amp;").Replace(name))
}

// addAbout adds the terms of use and the privacy statement, and the form to write to the operator.
func (s *Site) addAbout(v view) {
	terms := readAbout("terms", v.About.Terms, v.About.Operator)
	privacy := readAbout("privacy", v.About.Privacy, v.About.Operator)
	s.shell.Terms = versionOf(terms, privacy)
	v.Script = "page.js"
	for path, page := range map[string]*aboutText{"/about/terms": terms, "/about/privacy": privacy} {
		v.Path, v.AboutText = path, page
		s.addPage("about", v)
	}

	s.mux.HandleFunc("GET /about/contact", s.serveContact)
	s.mux.HandleFunc("POST "+contactPath, s.takeContact)
}

// versionOf returns a hash of the texts that users accept at sign-up, to record which version they accepted.
func versionOf(pages ...*aboutText) string {
	sum := sha256.New()
	for _, p := range pages {
		for _, html := range p.html {
			sum.Write([]byte(html))
			sum.Write([]byte{0})
		}
	}

	return hex.EncodeToString(sum.Sum(nil)[:8])
}
