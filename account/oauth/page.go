package oauth

import (
	_ "embed"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/internal/page"
)

//go:embed page.html
var pageHTML string

//go:embed text.json
var textJSON []byte

var pages = page.Parse(pageHTML, textJSON)

// view is what a page shows.
type view struct {
	Lang string
	Path string
	// Request is what the program asks for, to come along.
	Request string
	// Problem is the key of the sentence that says what went wrong, and Detail what
	// there is to say of it in English.
	Problem, Detail string

	Here      string   // the address of the page to sign in
	Providers []string // of the same

	Name, Host, Back, Email, Seal string // of the page to allow
}

// show sends a page, from whose forms browsers may be redirected to targets.
func (x *exchange) show(status int, name string, v view, targets string) error {
	v.Path = Path
	pages.Write(x.w, x.r, status, name, targets, func(lang string) any {
		v.Lang = lang
		return v
	})
	return nil
}

// signInPage asks who the person is, before it goes on with a request. The code is
// why an attempt failed; it is empty before the first.
func (x *exchange) signInPage(request, code string) error {
	v := view{Request: request, Here: asking(request)}
	targets := ""
	for _, p := range x.server.People.Providers {
		v.Providers, targets = append(v.Providers, p.Name()), "https:" // browsers ask about the redirect there, too
	}
	status := http.StatusOK
	if code != "" {
		status, v.Problem = http.StatusForbidden, "failed."+code
		if !pages.Has(v.Problem) {
			v.Problem = "failed"
		}
	}
	return x.show(status, "sign-in", v, targets)
}

// consentPage asks the person whether they allow what the program asks for.
func (x *exchange) consentPage(q *request, user account.User, seal string) error {
	return x.show(http.StatusOK, "consent", view{
		Request: q.text, Name: q.app.Name, Host: origin(q.app.ID, q.redirect()), Back: place(q.redirect()), Email: user.Email, Seal: seal,
	}, source(q.redirect()))
}

// failPage tells the person what went wrong: the program cannot be told.
func (x *exchange) failPage(f *failure) {
	x.writeRetry(f)
	v := view{Problem: "failure.text", Detail: f.description}
	if f.retry > 0 {
		v.Problem = "failure.later"
	}
	x.show(f.status, "failure", v, "")
}
