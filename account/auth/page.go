package auth

import (
	_ "embed"
	"net/http"

	"github.com/rodata/rodata/account/internal/page"
)

//go:embed page.html
var pageHTML string

//go:embed text.json
var textJSON []byte

var pages = page.Parse(pageHTML, textJSON)

// pageView is what a page shows. Texts are keys of text.json.
type pageView struct {
	Lang    string
	Heading string
	Texts   []string
	// Subject is the address that the page is about, and Other the one that it
	// replaces; empty for none.
	Subject, Other string
	// Code is that of a failure; empty for none.
	Code string
	// Onward is where the link at the end leads; empty for no link.
	Onward string

	// Action is where the form is sent; empty for no form.
	Action  string
	Hidden  map[string]string // fields that come along
	Buttons []pageButton
}

// pageButton is a button of a form; the first one of a form is what people expect.
type pageButton struct{ Label, Name, Value string }

// show sends a page, from whose form browsers may be redirected to targets.
func (x *exchange) show(status int, v pageView, targets string) error {
	pages.Write(x.w, x.r, status, "page", targets, func(lang string) any {
		v.Lang = lang
		return v
	})
	return nil
}

// showFailure sends the page that explains a code.
func (x *exchange) showFailure(status int, code, onward string) error {
	if !errorCode.MatchString(code) {
		code = "unknown"
	}
	text := "failure." + code
	if !pages.Has(text) {
		text = "failure"
	}
	return x.show(status, pageView{Heading: "failure.heading", Texts: []string{text}, Code: code, Onward: onward}, "")
}

// errorPage tells a person why they were not signed in.
func (a *Auth) errorPage(x *exchange) error {
	return x.showFailure(http.StatusOK, x.r.URL.Query().Get("error"), "/")
}
