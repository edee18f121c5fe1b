// Package page serves small pages in English and Romanian that need no script: the targets of links in mails, and the
// consent pages for programs.
package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"

	"golang.org/x/text/language"

	"github.com/rodata/rodata/internal/web"
)

// Set is a set of page templates in both languages.
type Set struct {
	sentences map[string][2]string
	templates [2]*template.Template
}

var (
	names = [2]string{"en", "ro"}
	// matcher falls back to English if no language matches.
	matcher = language.NewMatcher([]language.Tag{language.English, language.Romanian})
)

// Parse parses templates, which insert a sentence with {{t "key"}}, and a JSON object of sentences by key, each as
// [English, Romanian]. It panics on an error: both are embedded in the program.
func Parse(html string, sentences []byte) *Set {
	s := new(Set)
	if err := json.Unmarshal(sentences, &s.sentences); err != nil {
		panic(err)
	}

	for i := range s.templates {
		t := func(key string) (string, error) {
			text, ok := s.sentences[key]
			if !ok {
				return "", fmt.Errorf("there is no sentence %q", key)
			}
			return text[i], nil
		}
		s.templates[i] = template.Must(template.New("page").Funcs(template.FuncMap{"t": t}).Parse(html))
	}

	return s
}

// Has reports whether there is a sentence with a key.
func (s *Set) Has(key string) bool { return s.sentences[key] != [2]string{} }

// Write executes the named template in the reader's language, en or ro, with the data that view returns for it. The
// page loads nothing, runs no script and cannot be framed. Its forms can only be submitted to us; targets are the
// origins, separated by spaces, to which the browser may then be redirected.
func (s *Set) Write(w http.ResponseWriter, r *http.Request, status int, name, targets string,
	view func(lang string) any) {
	i := preferredLanguage(r)
	var html bytes.Buffer
	if err := s.templates[i].ExecuteTemplate(&html, name, view(names[i])); err != nil {
		panic(err) // templates accept any type of view
	}

	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", names[i])
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "+
		"frame-ancestors 'none'; form-action 'self' "+targets)
	h.Set("X-Frame-Options", "DENY")
	// Forms must prove their origin to us; other sites get no referrer.
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	w.Write(html.Bytes()) // a disconnected client is not an error
}

// preferredLanguage returns the language of the link, the one chosen on the site, or the browser's.
func preferredLanguage(r *http.Request) int {
	_, index := language.MatchStrings(matcher, r.URL.Query().Get("lang"), web.Language(r),
		r.Header.Get("Accept-Language"))
	return index
}
