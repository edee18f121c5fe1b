package oauth

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"

	"golang.org/x/text/language"

	"github.com/rodata/rodata/account"
)

//go:embed page.html
var pageHTML string

//go:embed text.json
var textJSON []byte

// sentences are what pages say, by key, in English and Romanian.
var sentences = func() (all map[string][2]string) {
	if err := json.Unmarshal(textJSON, &all); err != nil {
		panic(err)
	}
	return all
}()

// pages are the pages in English and Romanian.
var pages = func() (pages [2]*template.Template) {
	for i := range pages {
		t := func(key string) (string, error) {
			text, ok := sentences[key]
			if !ok {
				return "", fmt.Errorf("text.json has no %q", key)
			}
			return text[i], nil
		}
		pages[i] = template.Must(template.New("page").Funcs(template.FuncMap{"t": t}).Parse(pageHTML))
	}
	return pages
}()

// languages are those of the pages; whoever reads neither is shown the first.
var languages = language.NewMatcher([]language.Tag{language.English, language.Romanian})

// preferred is the language that a person has chosen on the site, or else in the
// browser.
func preferred(r *http.Request) int {
	chosen := ""
	if cookie, err := r.Cookie("rodata_lang"); err == nil {
		chosen = cookie.Value
	}
	_, index := language.MatchStrings(languages, chosen, r.Header.Get("Accept-Language"))
	return index
}

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

// show sends a page. It loads nothing, is framed by nobody, and its forms lead to
// us and to the targets.
func (x *exchange) show(status int, name string, v view, targets string) error {
	index := preferred(x.r)
	v.Lang, v.Path = [2]string{"en", "ro"}[index], Path
	var html bytes.Buffer
	if err := pages[index].ExecuteTemplate(&html, name, v); err != nil {
		panic(err) // the pages take any view
	}
	h := x.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", v.Lang)
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' "+targets)
	h.Set("X-Frame-Options", "DENY")
	// Forms say by Origin that they come from here; other sites learn nothing.
	h.Set("Referrer-Policy", "same-origin")
	x.w.WriteHeader(status)
	x.w.Write(html.Bytes()) // a client that has gone is nobody's error
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
		if _, known := sentences[v.Problem]; !known {
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
