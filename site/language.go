package site

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	tags "golang.org/x/text/language"
)

// language is a language of the pages.
type language int

const (
	english language = iota
	romanian
	languages // their number
)

// matcher matches a reader's languages with ours; the fallback is English.
var matcher = tags.NewMatcher([]tags.Tag{tags.English, tags.Romanian})

// String is the language's tag in HTML and HTTP.
func (l language) String() string { return [languages]string{"en", "ro"}[l] }

// other is the language to switch to.
func (l language) other() language { return 1 - l }

// parseLanguage reads a tag.
func parseLanguage(tag string) (language, bool) {
	for l := range languages {
		if l.String() == tag {
			return l, true
		}
	}
	return english, false
}

// cookieName is the cookie that stores a choice.
const cookieName = "rodata_lang"

// preferred is the reader's language: by the address, an earlier choice, or the
// browser's settings.
func preferred(r *http.Request) language {
	if l, ok := parseLanguage(r.URL.Query().Get("lang")); ok {
		return l
	}
	if cookie, err := r.Cookie(cookieName); err == nil {
		if l, ok := parseLanguage(cookie.Value); ok {
			return l
		}
	}

	_, index := tags.MatchStrings(matcher, r.Header.Get("Accept-Language"))
	return language(index)
}

// remember stores a choice for a year.
func remember(l language, secure bool) *http.Cookie {
	const year = 365 * 24 * 60 * 60
	return &http.Cookie{
		Name: cookieName, Value: l.String(), Path: "/", MaxAge: year,
		Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

//go:embed text.json
var textJSON []byte

// texts are the sentences of pages and scripts in each language, by key.
type texts map[string][languages]string

// readTexts reads the embedded sentences once.
var readTexts = sync.OnceValue(func() (t texts) {
	check(json.Unmarshal(textJSON, &t))
	return t
})

// in returns the template function that looks up a sentence.
func (t texts) in(l language) func(key string) (string, error) {
	return func(key string) (string, error) {
		text, ok := t[key]
		if !ok {
			return "", fmt.Errorf("text.json has no %q", key)
		}
		return text[l], nil
	}
}

// script returns the sentences of one language as a JavaScript module.
func (t texts) script(l language) []byte {
	sentences := make(map[string]string, len(t))
	for key, text := range t {
		sentences[key] = text[l]
	}
	return append([]byte("export default "), must(json.Marshal(sentences))...)
}
