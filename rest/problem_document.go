package rest

import (
	"slices"
	"strings"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// documentProblem documents a kind of problem. Browsers get the page of the site, if it is served.
func (x *exchange) documentProblem() {
	slug := strings.TrimPrefix(x.r.URL.Path, "/problems/")
	i := slices.IndexFunc(problem.Kinds, func(k *problem.Kind) bool { return k.Slug == slug })
	if i < 0 {
		x.refuse(problem.NotFound.New("no such kind of problem exists"))
		return
	}

	kind := problem.Kinds[i]
	doc, err := op.EncodeDocument(struct {
		Type    string `json:"type"`
		Title   string `json:"title"`
		Status  int    `json:"status"`
		Meaning string `json:"meaning"`
		Remedy  string `json:"remedy"`
		Code    string `json:"code"`

		InputCodes []problem.InputCodeMeaning `json:"inputCodes,omitempty"`
	}{x.baseURL(x.r) + "/problems/" + kind.Slug, kind.Title, kind.Status, kind.Meaning, kind.Remedy, kind.Slug,
		kind.InputCodes()})
	if err != nil { // texts and a number always encode
		panic(err)
	}

	h := x.w.Header()
	x.head(true)
	h["Cache-Control"] = []string{"public, max-age=3600"}
	h["Vary"] = append(h["Vary"], "Accept", "Accept-Encoding")
	x.send(200, jsonType, doc)
}
