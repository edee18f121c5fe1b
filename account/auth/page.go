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

// pageView is the content of a page. Texts are keys of text.json.
type pageView struct {
	Lang    string
	Heading string
	Texts   []string
	// Subject is the address concerned, and Other the address that it replaces; both may be empty.
	Subject, Other string
	// Consents reports that the button creates a user, who accepts the terms of use.
	Consents bool
	// Code is the code of a failure, or empty.
	Code string
	// Onward is the target of the link at the end of the page. It is empty if there is none.
	Onward string

	// Action is the target of the form. It is empty if there is none.
	Action  string
	Hidden  map[string]string // hidden fields
	Buttons []pageButton
}

// pageButton is a button of a form; the first is the primary one.
type pageButton struct{ Label, Name, Value string }

// show sends a page whose form may redirect to the origins in targets.
func (x *exchange) show(status int, v pageView, targets string) error {
	pages.Write(x.w, x.r, status, "page", targets, func(lang string) any {
		v.Lang = lang
		return v
	})
	return nil
}

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

func (a *Auth) errorPage(x *exchange) error {
	return x.showFailure(http.StatusOK, x.r.URL.Query().Get("error"), "/")
}
