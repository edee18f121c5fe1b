package auth

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"

	"golang.org/x/text/language"
)

//go:embed page.html
var pageHTML string

//go:embed text.json
var textJSON []byte

// sentences holds the text of the pages by key, as {English, Romanian}.
var sentences = func() (all map[string][2]string) {
	if err := json.Unmarshal(textJSON, &all); err != nil {
		panic(err)
	}
	return all
}()

// pages are the templates in English and Romanian.
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

// pageLanguages are those of the pages; the first is for people who read neither.
var pageLanguages = language.NewMatcher([]language.Tag{language.English, language.Romanian})

// preferredLanguage is the one chosen on the site, or else in the browser.
func preferredLanguage(r *http.Request) int {
	chosen := ""
	if cookie, err := r.Cookie("rodata_lang"); err == nil {
		chosen = cookie.Value
	}
	_, index := language.MatchStrings(pageLanguages, chosen, r.Header.Get("Accept-Language"))
	return index
}

// pageView is what a page shows. Texts are keys of sentences.
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

// show sends a page, which loads nothing, runs no script, and is framed by nobody.
// Its form is sent to us, from where browsers may be redirected to targets.
func (x *exchange) show(status int, v pageView, targets string) error {
	index := preferredLanguage(x.r)
	v.Lang = [2]string{"en", "ro"}[index]
	var html bytes.Buffer
	if err := pages[index].Execute(&html, v); err != nil {
		panic(err) // the template takes any view
	}
	h := x.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", v.Lang)
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' "+targets)
	h.Set("X-Frame-Options", "DENY")
	// Forms must say by Origin that they come from here; other sites learn nothing.
	h.Set("Referrer-Policy", "same-origin")
	x.w.WriteHeader(status)
	x.w.Write(html.Bytes()) // a client that has gone is nobody's error
	return nil
}

// showFailure sends the page that explains a code.
func (x *exchange) showFailure(status int, code, onward string) error {
	if !errorCode.MatchString(code) {
		code = "unknown"
	}
	text := "failure." + code
	if _, known := sentences[text]; !known {
		text = "failure"
	}
	return x.show(status, pageView{Heading: "failure.heading", Texts: []string{text}, Code: code, Onward: onward}, "")
}

// errorPage tells a person why they were not signed in.
func (a *Auth) errorPage(x *exchange) error {
	return x.showFailure(http.StatusOK, x.r.URL.Query().Get("error"), "/")
}
