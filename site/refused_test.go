package site

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/siruta"
)

// refusedInputs are addresses of pages with inputs that the operations of the pages refuse, or that do not exist.
var refusedInputs = []string{
	"/companies/none", "/companies/9900000011", "/companies/1960101000013", "/companies/9900000134",
	"/companies/9900000011/registers", "/companies/9900000011/history",
	"/companies/9900000010/status?date=none", "/companies/9900000010/status?date=2026-02-30",
	"/companies/9900000010/status?date=1990-01-01", "/companies/9900000010/status?date=2999-01-01",
	"/companies/9900000010/status?knownAt=none", "/companies/9900000010/status?knownAt=2999-01-01",
	"/companies/9900000010/history?cursor=none", "/companies/9900000010/history?limit=0",
	"/companies?q=%00", "/companies?q=%ff", "/companies?q=" + strings.Repeat("exemplu", 100),
	"/companies?county=ZZ", "/companies?county=Clujj", "/companies?city=Nicaieri", "/companies?county=CJ&city=Nicaieri",
	"/companies?activity=abc", "/companies?activity=04", "/companies?activity=62109",
	"/companies?state=bankrup", "/companies?vatPayer=maybe", "/companies?inactive=maybe", "/companies?eInvoice=maybe",
	"/companies?seatExpired=maybe", "/companies?turnoverMin=much", "/companies?turnoverMin=2&turnoverMax=1",
	"/companies?employeesMax=1e3", "/companies?employeesMin=10&employeesMax=1", "/companies?statement=late",
	"/companies?state=bankrup&vatPayer=maybe&q=%00",
	"/caen?q=%00", "/caen/NONE", "/caen/9999", "/caen/Z", "/places?q=%00", "/places/none", "/places/999999",
	"/places/999999999999", "/places/127?page=99",
	"/rates?date=none", "/rates?date=2026-02-30", "/rates?date=1990-01-01",
	"/rates?date=2999-01-01", "/rates/EU", "/rates/SKK", "/rates/EURR", "/rates/EUR?to=XX", "/rates/EUR?to=SKK",
	"/rates/EUR?amount=none", "/rates/EUR?amount=1e99", "/rates/EUR?date=none",
	"/rates/EUR?date=1990-01-01", "/rates/EUR?date=2999-01-01", "/rates/EUR?day=none", "/rates/EUR?day=1990-01-01",
	"/rates/EUR?day=2005-01-03", "/rates/EUR?day=2999-01-01",
}

// Pages explain refused inputs in the site's own sentences, in the reader's language. The API's details are in English,
// for programs, and name tools and parameters.
func TestRefusedInputsAreExplainedInTheSitesWords(t *testing.T) {
	s := liveSite(t, api.Registries{Trade: newFakeTrade(), Fixings: &fakeFixings{}, Classification: caen.Load(),
		Gazetteer: siruta.Load(), Companies: &oneCompany{err: op.ErrUnknown}, CompanyHistory: twoNames{}}, unlimited)
	explained := regexp.MustCompile(`(?s)<section class="wide text problem">(.*)</section>|` +
		`<p class="notice" role="(?:alert|status)">(.*?)</p>`)
	for l := range languages {
		sentence := sentences(l)
		for _, address := range refusedInputs {
			w := get(s, address+separator(address)+"lang="+l.String())
			section := explained.FindStringSubmatch(w.Body.String())
			if w.Code != http.StatusBadRequest && w.Code != http.StatusNotFound || section == nil {
				t.Errorf("%s is not refused: status %d", address, w.Code)
				continue
			}

			for _, text := range textsOf(section[1] + section[2]) {
				if !sentence.MatchString(text) {
					t.Errorf("%s in %s: %q is not a sentence of the site", address, l, text)
				}
			}
		}
	}
}

// The form to the operator explains its errors in the same sentences.
func TestRefusedMessagesAreExplainedInTheSitesWords(t *testing.T) {
	s := liveSite(t, api.Registries{}, unlimited)
	explained := regexp.MustCompile(`<p class="error">(.*?)</p>|<div class="notice bad" role="alert">(.*?)</div>`)
	for l := range languages {
		sentence := sentences(l)
		for _, form := range []url.Values{
			{}, {"name": {"A"}, "email": {"none"}, "message": {"short"}},
			{"name": {"A\x00B"}, "email": {strings.Repeat("a", 300)}, "message": {strings.Repeat("long", 2000)}},
			{"name": {"Ana Exemplu"}, "email": {"ana@example.ro"}, "message": {"a long enough text"}, "website": {"x"}},
		} {
			r := httptest.NewRequest(http.MethodPost, contactPath+"?lang="+l.String(), strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)

			errors := explained.FindAllString(w.Body.String(), -1)
			if w.Code != http.StatusBadRequest || errors == nil {
				t.Errorf("%v is not refused: status %d", form, w.Code)
			}

			for _, text := range textsOf(strings.Join(errors, "")) {
				if !sentence.MatchString(text) {
					t.Errorf("%v in %s: %q is not a sentence of the site", form, l, text)
				}
			}
		}
	}
}

// Scripts show a problem by api.js and wrong.js, never in the API's own words.
func TestScriptsShowNoWordsOfTheAPI(t *testing.T) {
	english := regexp.MustCompile(`\b(?:problem|body|refused)\??\.(?:detail|title)\b|body\.message\b|lang: 'en'`)
	for _, name := range names(t, "assets") {
		if found := english.Find(testkit.Must(assetFiles.ReadFile("assets/" + name))); found != nil {
			t.Errorf("%s uses %q", name, found)
		}
	}
}

// textsOf returns the texts between the tags of HTML.
func textsOf(markup string) (texts []string) {
	for _, text := range regexp.MustCompile(`<[^>]*>`).Split(markup, -1) {
		if text = strings.TrimSpace(html.UnescapeString(text)); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// sentences matches one or more sentences of the site about problems, in a language. The names of inputs and the
// accepted values in them are the site's own, too.
func sentences(l language) *regexp.Regexp {
	values := strings.NewReplacer(`\{name\}`, oneOf(l, "param.", "said.whole", "said.parameter"),
		`\{accepted\}`, oneOf(l, "accepts."))
	all := values.Replace(oneOf(l, "kind.", "means.", "remedy.", "input.", "said.", "wait.", "problem.", "search."))
	filled := regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(all, `\S{1,60}`)
	return regexp.MustCompile(`(?i)^(?:` + filled + `\s*)+$`)
}

// oneOf returns an expression that matches the sentences with these keys, or beginnings of keys.
func oneOf(l language, keys ...string) string {
	var all []string
	for key, text := range readTexts() {
		if slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(key, k) }) {
			all = append(all, regexp.QuoteMeta(text[l]))
		}
	}

	return "(?:" + strings.Join(all, "|") + ")"
}
