package site

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"

	tags "golang.org/x/text/language"

	rules "github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/internal/web"
)

// language is a language of the pages.
type language int

const (
	english language = iota
	romanian
	languages // their number
)

// amountForm is a form in which people write amounts, with its conversion to the form that operations accept.
type amountForm struct {
	pattern *regexp.Regexp
	convert *strings.Replacer
}

var (
	// inGroups are amounts with separators between groups of digits, by language.
	inGroups = [languages]amountForm{
		english:  {regexp.MustCompile(`^\d{1,3}(?:,\d{3})+(?:\.\d+)?$`), strings.NewReplacer(",", "")},
		romanian: {regexp.MustCompile(`^\d{1,3}(?:\.\d{3})+(?:,\d+)?$`), strings.NewReplacer(".", "", ",", ".")},
	}
	// withoutGroups are amounts with at most one separator, that of the decimals.
	withoutGroups = amountForm{regexp.MustCompile(`^\d+(?:[.,]\d+)?$`), strings.NewReplacer(",", ".")}
)

// amount converts an amount as people write it, such as 7.000,50, to the form that operations accept, 7000.50. The
// language decides whether a single separator before three digits separates groups or decimals. Any other text is
// returned unchanged, so that the operation rejects it as the visitor typed it.
func (l language) amount(text string) string {
	bare := strings.Join(strings.Fields(text), "")
	for _, form := range []amountForm{inGroups[l], withoutGroups, inGroups[english+romanian-l]} {
		if !form.pattern.MatchString(bare) {
			continue
		}

		amount := form.convert.Replace(bare)
		if _, decimals, _ := strings.Cut(amount, "."); len(decimals) == 3 {
			amount += "0" // because the amount is read again, from the page's address
		}
		return amount
	}

	return text
}

// matcher selects the language for a reader. It falls back to English.
var matcher = tags.NewMatcher([]tags.Tag{tags.English, tags.Romanian})

// String is the language's tag in HTML and HTTP.
func (l language) String() string { return [languages]string{"en", "ro"}[l] }

// parseLanguage reads a tag.
func parseLanguage(tag string) (language, bool) {
	for l := range languages {
		if l.String() == tag {
			return l, true
		}
	}

	return english, false
}

// preferredLanguage returns the reader's language from the address, an earlier choice or the browser's settings, in
// this order.
func preferredLanguage(r *http.Request) language {
	if l, ok := parseLanguage(r.URL.Query().Get("lang")); ok {
		return l
	}

	if l, ok := parseLanguage(web.Language(r)); ok {
		return l
	}

	_, index := tags.MatchStrings(matcher, r.Header.Get("Accept-Language"))
	return language(index)
}

// remember returns a cookie of the site at a base address that stores the choice of a language for a year.
func remember(l language, base string) *http.Cookie {
	const year = 365 * 24 * 60 * 60
	return &http.Cookie{
		Name: web.CookieName(base, "/", web.LanguageCookie), Value: l.String(), Path: "/", MaxAge: year,
		Secure: strings.HasPrefix(base, "https:"), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

//go:embed text.json
var textJSON []byte

// texts are the sentences of pages and scripts in each language, by key.
type texts map[string][languages]string

// usedKeys are the keys of the sentences that scripts use: keys in quotes, and the prefixes of keys that scripts
// compose, such as state in `state.${state}`.
type usedKeys map[string]bool

var (
	quotedKey  = regexp.MustCompile("'([a-z][\\w.-]*)'|`(\\w+\\.)\\$\\{")
	pluralForm = regexp.MustCompile(`\.(one|few|other)$`)
)

// keysIn finds the keys that scripts use.
func keysIn(scripts []byte) usedKeys {
	used := make(usedKeys)
	for _, match := range quotedKey.FindAllSubmatch(scripts, -1) {
		used[string(match[1])+string(match[2])] = true
	}
	return used
}

func (u usedKeys) has(key string) bool {
	first, _, _ := strings.Cut(key, ".")
	return u[pluralForm.ReplaceAllString(key, "")] || u[key] || u[first+"."]
}

// readTexts reads the embedded sentences once, and adds the reasons of verdicts.
var readTexts = sync.OnceValue(func() (t texts) {
	check(json.Unmarshal(textJSON, &t))
	for reason, label := range rules.AllReasons() {
		t["reason."+string(reason)] = [languages]string{english: label.English, romanian: label.Romanian}
	}

	return t
})

// script returns a JavaScript module with the sentences that scripts use, in one language.
func (t texts) script(l language, used usedKeys) []byte {
	sentences := make(map[string]string, len(t))
	for key, text := range t {
		if used.has(key) {
			sentences[key] = text[l]
		}
	}

	return append([]byte("export default "), must(json.Marshal(sentences))...)
}

// writeLanguage writes the headers of a page that depends on the reader's language, and sets a cookie if the reader
// has just chosen one.
func (s *Site) writeLanguage(w http.ResponseWriter, r *http.Request, lang language) {
	w.Header().Set("Content-Language", lang.String())
	w.Header().Add("Vary", "Accept-Language, Cookie")
	if asked, ok := parseLanguage(r.URL.Query().Get("lang")); ok {
		http.SetCookie(w, remember(asked, s.URL(r)))
	}
}
