package rest

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

//go:embed problem_page.html
var problemPageHTML string

var problemPage = template.Must(template.New("problem").Parse(problemPageHTML))

// htmlPolicy allows the page its inline styles and nothing else.
const htmlPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// writeProblemPage documents a kind of problem, as HTML or, for clients that prefer it, JSON.
func (x *exchange) writeProblemPage() {
	slug := strings.TrimPrefix(x.r.URL.Path, "/problems/")
	for _, kind := range problem.Kinds {
		if kind.Slug == slug {
			x.explain(kind)
			return
		}
	}

	x.refuse(problem.NotFound.New("there is no such kind of problem"))
}

func (x *exchange) explain(kind *problem.Kind) {
	h := x.w.Header()
	h["Cache-Control"] = []string{"public, max-age=3600"}
	h["Vary"] = append(h["Vary"], "Accept")
	if accept := x.r.Header.Get("Accept"); strings.Contains(accept, "json") && !strings.Contains(accept, "text/html") {
		doc, err := api.EncodeDocument(struct {
			Type    string `json:"type"`
			Title   string `json:"title"`
			Status  int    `json:"status"`
			Meaning string `json:"meaning"`
			Remedy  string `json:"remedy"`
			Code    string `json:"code"`

			InputCodes []problem.InputCodeMeaning `json:"inputCodes,omitempty"`
		}{x.baseURL(x.r) + "/problems/" + kind.Slug, kind.Title, kind.Status, kind.Meaning, kind.Remedy, kind.Slug, kind.InputCodes()})
		if err != nil { // texts and a number always encode
			panic(err)
		}

		x.send(200, jsonType, doc)
		return
	}

	var page bytes.Buffer
	if err := problemPage.Execute(&page, kind); err != nil { // the page takes any kind
		panic(err)
	}

	h["Content-Security-Policy"] = []string{htmlPolicy}
	x.send(200, []string{"text/html; charset=utf-8"}, api.NewDocument(page.Bytes()))
}
