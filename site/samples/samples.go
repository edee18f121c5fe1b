// Package samples writes programs that send a request to the API, in the languages of the reference. Their templates
// are in the folder languages.
package samples

import (
	"embed"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"text/template"
)

// Request is the request that a sample sends.
type Request struct {
	Method string
	// URL is the complete URL, with an escaped query.
	URL string
	// Key is true if the request may have a key. KeyNeeded is true if it must have one.
	Key, KeyNeeded bool
	// Type is the media type of Body; empty for a request without one.
	Type, Body string
	Answer     Answer
	// File is the name of the file in which a sample saves the answer, if the answer is a file.
	File string
}

// Answer is what a sample does with the answer.
type Answer string

const (
	// JSON is an answer to print. Languages that can decode JSON in one line decode it first.
	JSON Answer = "json"
	// Text is printed.
	Text Answer = "text"
	// Nothing is an answer without a body. The sample prints its status.
	Nothing Answer = "nothing"
	// File is saved.
	File Answer = "file"
)

// IsJSON reports whether the body is JSON, which samples write as literals of their language.
func (r Request) IsJSON() bool { return r.Type == "application/json" }

// NeedsMethod reports whether curl has to be told the method: it sends POST with a body, and GET without one.
func (r Request) NeedsMethod() bool {
	if r.Type != "" {
		return r.Method != http.MethodPost
	}
	return r.Method != http.MethodGet
}

// Sample is a program that sends a request.
type Sample struct {
	// ID names the language in HTML and in the fences of Markdown.
	ID string
	// Language is the name of the language. With is the library that sends the request; empty for a command such as
	// curl.
	Language, With string
	Code           Code
}

// Code is a program in parts.
type Code []Part

// Part is a piece of a program. The program is complete without the parts that send the key.
type Part struct {
	Text string
	Key  bool
}

// With returns the program that sends a key.
func (c Code) With() string { return c.text(true) }

// Without returns the program that sends no key.
func (c Code) Without() string { return c.text(false) }

func (c Code) text(key bool) string {
	var text strings.Builder
	for _, p := range c {
		if key || !p.Key {
			text.WriteString(p.Text)
		}
	}

	return text.String()
}

// mark stands in a program before and after each part that sends the key.
const mark = "\x00"

//go:embed languages
var files embed.FS

// programs are the templates of the programs, one for each language.
var programs = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"mark": func() string { return mark }, "quote": quote, "shell": quoteShell, "go": quoteGo, "raw": quoteRaw,
		"php": quotePHP, "phpLines": quotePHPLines, "phpValue": phpValues.write, "python": pythonValues.write,
		"title": func(text string) string { return text[:1] + strings.ToLower(text[1:]) },
	}).ParseFS(files, "languages/*.txt"))
})

// All returns a request in every language. C# has top-level statements, for .NET 7 and later; PHP needs the extension
// curl, and the others only their standard library.
func All(r Request) []Sample {
	all := []Sample{
		{ID: "sh", Language: "curl"}, {ID: "js", Language: "JavaScript", With: "fetch"},
		{ID: "python", Language: "Python", With: "urllib"}, {ID: "php", Language: "PHP", With: "cURL"},
		{ID: "csharp", Language: "C#", With: "HttpClient"}, {ID: "go", Language: "Go", With: "net/http"},
	}
	for i := range all {
		var program strings.Builder
		if err := programs().ExecuteTemplate(&program, all[i].ID+".txt", r); err != nil {
			panic(fmt.Errorf("a sample in %s: %w", all[i].Language, err))
		}

		for n, text := range strings.Split(program.String(), mark) {
			if text != "" {
				all[i].Code = append(all[i].Code, Part{text, n%2 == 1})
			}
		}
	}

	return all
}
