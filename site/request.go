package site

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/rodata/rodata/site/samples"
)

// Request is the request that the operation's samples send. It contains the examples of the required parameters or, if
// none is required, of the first parameter.
func (o operation) Request() samples.Request {
	args := o.sampleArgs()
	r := samples.Request{
		Method: o.Method, Key: !o.Unmetered, KeyNeeded: o.Account, Answer: o.answerKind(), File: path.Base(o.Path),
	}
	if r.File == "pdf" {
		r.File = "invoice.pdf"
	}

	query := make(url.Values)
	route := o.Path
	for _, a := range args {
		switch a.Place() {
		case "path":
			route = strings.ReplaceAll(route, "{"+a.Name+"}", url.PathEscape(a.Example()))
		case "query":
			query.Set(a.Name, a.Example())
		}
	}

	r.URL = exampleAddress + route
	if len(query) > 0 {
		r.URL += "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
	}
	if o.HasBody() {
		r.Type, r.Body = o.sampleBody(args)
	}

	return r
}

// Samples are programs that send the request.
func (o operation) Samples() []samples.Sample { return samples.All(o.Request()) }

// answerKind returns what samples do with the answer.
func (o operation) answerKind() samples.Answer {
	media := o.Offers()[0]
	switch {
	case o.Success == http.StatusNoContent:
		return samples.Nothing
	case strings.HasSuffix(media, "json"):
		return samples.JSON
	case strings.HasPrefix(media, "text/"), strings.HasSuffix(media, "xml"):
		return samples.Text
	}

	return samples.File
}

// sampleArgs are the parameters that samples send.
func (o operation) sampleArgs() (args []argument) {
	others := false
	for _, a := range o.Arguments() {
		if a.Required || a.InPath {
			args = append(args, a)
			others = others || !a.InPath
		}
	}

	if others || len(args) > 0 && !o.HasBody() {
		return args
	}

	for _, a := range o.Arguments() {
		if !a.InPath && a.Media == "" && a.Schema.Example != "" && !slices.Contains(cursors, a.Name) {
			return append(args, a)
		}
	}

	return args
}

// cursors are parameters that samples leave out, because an example of a cursor is not a valid cursor.
var cursors = []string{"after", "before", "cursor"}

// sampleBody returns the body of a sample and its media type.
func (o operation) sampleBody(args []argument) (media, body string) {
	if o.TakesFile() {
		return "text/csv", o.companies.replaceIn("CUI\n14399840\n")
	}

	var members []string
	for _, a := range args {
		if a.Place() != "body" {
			continue
		}

		value := a.Example()
		if !a.TakesJSON() {
			quoted := must(json.Marshal(value))
			value = string(quoted)
		}

		members = append(members, string(must(json.Marshal(a.Name)))+": "+value)
	}

	if members == nil {
		return "", "" // POST …/test
	}

	return "application/json", "{" + strings.Join(members, ", ") + "}"
}

// Example is an example of the argument. If it is a company, the deployment knows the company.
func (a argument) Example() string {
	return a.of.companies.replaceIn(cmp.Or(a.Schema.Example, a.Schema.Default, firstOf(a.Schema.Enum)))
}

func firstOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}
