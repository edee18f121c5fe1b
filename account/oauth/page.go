package oauth

import (
	_ "embed"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/internal/page"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
)

//go:embed page.html
var pageHTML string

//go:embed text.json
var textJSON []byte

var pages = page.Parse(pageHTML, textJSON)

type view struct {
	Lang string
	Path string
	// Request is the authorization request, which the forms repeat.
	Request string
	// Problem is the key of the sentence that explains an error, and Detail describes it in English.
	Problem, Detail string

	Here      string   // sign-in page: its own address
	Providers []string // sign-in page

	Name, Host, Back, Email, Seal string // consent page
	// Watch reports whether the consent includes account.WatchScope, and Read whether it includes account.ReadScope.
	Read, Watch bool
}

// show sends a page whose forms may redirect to the origins in targets.
func (x *exchange) show(status int, name string, v view, targets string) error {
	v.Path = Path
	pages.Write(x.w, x.r, status, name, targets, func(lang string) any {
		v.Lang = lang
		return v
	})
	return nil
}

// signInPage asks the person to sign in before continuing with a request. The code identifies the error of the last
// attempt, and is empty before the first attempt.
func (x *exchange) signInPage(request, code string) error {
	v := view{Request: request, Here: authorizeURL(request)}
	targets := ""
	for _, p := range x.server.People.Providers {
		v.Providers, targets = append(v.Providers, p.Name), "https:" // browsers apply form-action to the redirect too
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

func (x *exchange) consentPage(q *request, scope account.Scope, user account.User, seal string) error {
	return x.show(http.StatusOK, "consent", view{
		Request: q.text, Name: q.app.Name, Host: origin(q.app.ID, q.redirect()), Back: redirectLabel(q.redirect()),
		Email: user.Email, Seal: seal, Read: scope.Has(account.ReadScope), Watch: scope.Has(account.WatchScope),
	}, cspSource(q.redirect()))
}

// failPage shows an error to the person if it cannot be reported to the client.
func (x *exchange) failPage(p *problem.Problem) {
	web.WriteRetryAfter(x.w.Header(), p)
	v := view{Problem: "failure.text", Detail: p.Detail}
	if p.RetryAfter > 0 {
		v.Problem = "failure.later"
	}

	x.show(p.Status(), "failure", v, "")
}
