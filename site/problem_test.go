package site

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/upstream/caen"
)

// problemIn renders the page about a problem in a language.
func problemIn(s *Site, l language, p *problem.Problem) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeProblem(w, httptest.NewRequest("GET", "/somewhere?lang="+l.String(), nil), p)
	return w
}

func TestEveryKindOfProblemHasPages(t *testing.T) {
	s := newSite(t)
	for _, kind := range problem.Kinds {
		for l := range languages {
			says := words{l}
			w := problemIn(s, l, &problem.Problem{Kind: kind})
			for _, key := range []string{"kind.", "means.", "remedy."} {
				if output := escaped(says.say(key + kind.Slug)); !strings.Contains(w.Body.String(), output) {
					t.Errorf("%s in %s does not say %q", kind.Slug, l, output)
				}
			}

			if w.Code != kind.Status {
				t.Errorf("%s: status %d", kind.Slug, w.Code)
			}

			documented := get(s, "/problems/"+kind.Slug+"?lang="+l.String()).Body.String()
			for _, key := range []string{"kind.", "means.", "fix."} {
				if output := escaped(says.say(key + kind.Slug)); !strings.Contains(documented, output) {
					t.Errorf("the documentation of %s in %s does not say %q", kind.Slug, l, output)
				}
			}
		}

		if fix := (words{english}).say("fix." + kind.Slug); fix != kind.Remedy {
			t.Errorf("%s: the site says %q, and the API %q", kind.Slug, fix, kind.Remedy)
		}
	}
}

func TestEveryInputCodeHasSentences(t *testing.T) {
	documented := get(newSite(t), "/problems/invalid-request").Body.String()
	for _, c := range problem.InputCodes {
		en := words{english}.wrong(&problem.InputError{Parameter: "cui", Code: c.Code, Accepted: "a CUI"})
		ro := words{romanian}.wrong(&problem.InputError{Parameter: "cui", Code: c.Code, Accepted: "a CUI"})
		if en.Sentence == "" || ro.Sentence == "" || en.Sentence == ro.Sentence ||
			strings.Contains(en.Sentence+ro.Sentence, "{") {
			t.Errorf("%s: %q, %q", c.Code, en.Sentence, ro.Sentence)
		}
		if c.Meaning != (words{english}).say("code."+string(c.Code)) ||
			!strings.Contains(documented, "<code>"+string(c.Code)+"</code>") {
			t.Errorf("%s is not documented as the API says it", c.Code)
		}
	}
}

func TestProblemPageSpeaksOfErrors(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		name string
		lang language
		p    *problem.Problem
		want []string
	}{
		{"a known parameter", romanian,
			problem.Invalid(&problem.InputError{Parameter: "cui", Code: problem.CheckDigit, Accepted: "a CUI"}),
			[]string{"CUI-ul: o cifră este greșită", "<span>Se acceptă: un CUI de 2 până la 10 cifre"}},
		{"a check digit", romanian,
			problem.Invalid(&problem.InputError{Parameter: "cui", Code: problem.CheckDigit, Accepted: "a CUI",
				Received: new("RO9900000011")}),
			[]string{"<h1>CUI greșit: RO9900000011</h1>", "Un CUI care începe cu 990000001 se termină cu 0.",
				`<a href="/companies/9900000010">Poate 9900000010?</a>`, `role="search"`, `value="RO9900000011"`}},
		{"an unknown parameter", romanian,
			problem.Invalid(&problem.InputError{Parameter: "webhook", Code: problem.NotOneOf, Accepted: "one of a, b"}),
			[]string{"„webhook”: valoarea nu este printre cele acceptate.</li>"}},
		{"a reason", romanian,
			problem.Invalid(&problem.InputError{Parameter: "url", Code: problem.InvalidFormat, Accepted: "a URL",
				Reason: "it has a password"}),
			[]string{"Adresa: formatul nu este cel așteptat.", "o adresă https accesibilă din internet"}},
		{"a row and a column", romanian,
			problem.Invalid(&problem.InputError{Parameter: "file", Code: problem.Malformed, Row: 14, Column: "data"}),
			[]string{"nu au aceleași coloane. Salvați-l din nou ca CSV sau XLSX. Vedeți rândul 14, coloana „data”."}},
		{"a row", english, problem.Invalid(&problem.InputError{Parameter: "file", Code: problem.TooMany, Row: 200_002}),
			[]string{"Split it. See row 200002."}},
		{"a suggestion", english,
			problem.Invalid(&problem.InputError{Parameter: "county", Code: problem.NoSuchValue, Accepted: "a county",
				Suggestion: "Cluj"}),
			[]string{"The county: there is no such value.", "Did you mean “Cluj”?"}},
		{"markup", english,
			problem.Invalid(&problem.InputError{Parameter: "<b>", Code: problem.Empty, Accepted: "a value"}),
			[]string{"“&lt;b&gt;” is empty"}},
		{"a wait", romanian, &problem.Problem{Kind: problem.RateLimited, RetryAfter: 90 * time.Second},
			[]string{"peste 90 de secunde"}},
		{"a wait of hours", english, &problem.Problem{Kind: problem.RateLimited, RetryAfter: 3 * time.Hour},
			[]string{"in 3 hours"}},
		{"an internal error", english, &problem.Problem{Kind: problem.Internal, ID: "ABCDEF"},
			[]string{"Error ID: ABCDEF"}},
		{"nothing here", english, &problem.Problem{Kind: problem.NotFound}, []string{`role="search"`}},
		{"a detail", english, problem.NotFound.New("no register knows it; see search_companies"),
			[]string{"the registers have no entry for what you asked"}},
	} {
		page := problemIn(s, c.lang, c.p).Body.String()
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", c.name, want)
			}
		}

		if c.p.Detail != "" && strings.Contains(page, escaped(c.p.Detail)) {
			t.Errorf("%s: the page repeats the detail", c.name)
		}
	}
}

// If a page is shown although one of its operations failed, it explains the failure in its own language.
func TestFailuresInPagesAreTranslated(t *testing.T) {
	trade, fixings := newFakeTrade(), &fakeFixings{}
	s := listingSite(t, trade, fixings)
	shown := 0
	for _, kind := range problem.Kinds {
		failure := kind.New("words of the API").After(90 * time.Second)
		trade.err, fixings.err = failure, failure
		for l := range languages {
			for _, path := range []string{"/companies?q=exemplu", "/rates/EUR", "/rates/EUR?to=USD", "/caen/6210",
				"/places/54975"} {
				w := get(s, path+separator(path)+"lang="+l.String())
				if w.Code != http.StatusOK {
					continue // the page about the problem, or a redirect
				}

				shown++
				body := w.Body.String()
				if strings.Contains(body, "words of the API") {
					t.Errorf("%s in %s repeats the detail of %s", path, l, kind.Slug)
				}
				if strings.HasPrefix(path, "/caen") || strings.HasPrefix(path, "/places") {
					continue // say only that the search failed
				}

				says := words{l}
				if why := escaped(says.say("means."+kind.Slug) + " " + says.wait(90)); !strings.Contains(body, why) {
					t.Errorf("%s in %s does not say %q", path, l, why)
				}
			}
		}
	}

	if failing := 4; shown < failing*int(languages)*5 {
		t.Errorf("only %d pages were shown", shown)
	}
}

// A page with a failure is not cached longer than its advice about retrying is valid.
func TestFailuresInPagesAreOfTheirView(t *testing.T) {
	trade := newFakeTrade()
	s := listingSite(t, trade, &fakeFixings{})
	for _, seconds := range []time.Duration{90, 30} {
		failure := problem.Unavailable.New("loading").After(seconds * time.Second)
		trade.err = failure
		shows(t, s, "/companies?q=exemplu", words{english}.wait(int(seconds)))
	}

	trade.err = errors.New("disk")
	ids := make(map[string]bool)
	for range 2 {
		id := regexp.MustCompile(`Error ID: (\w+)`).FindString(shows(t, s, "/companies?q=exemplu"))
		ids[id] = true
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("the IDs of two errors are %v", ids)
	}
}

// separator returns the character before a further parameter in a URL.
func separator(path string) string {
	if strings.Contains(path, "?") {
		return "&"
	}
	return "?"
}

func TestShortWaitsEndByThemselves(t *testing.T) {
	s := newSite(t)
	for wait, want := range map[time.Duration]string{time.Second: "1", time.Hour: ""} {
		w := problemIn(s, english, &problem.Problem{Kind: problem.RateLimited, RetryAfter: wait})
		if got := w.Header().Get("Refresh"); got != want {
			t.Errorf("a wait of %s: Refresh is %q, want %q", wait, got, want)
		}
	}
}

// escaped is a text as html/template writes it.
func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+",
		"&#43;").Replace(text)
}

func TestPagesForOneRequestHaveTheAddressOfTheService(t *testing.T) {
	s := liveSite(t, api.Registries{}, metering.PerSecond(1, 2))
	for _, address := range []string{"/companies/none", contactPath, "/docs/search?q=vat", "/companies/none",
		"/companies/none"} {
		body := get(s, address).Body.String()
		if strings.Contains(body, exampleAddress) || !strings.Contains(body, `hreflang="ro" href="`+baseURL) {
			t.Errorf("%s: alternates are not at the address of the service", address)
		}
	}
}

// Refusing a visitor must not cost more than serving the page, because refusals are not limited.
func TestRefusedVisitorsGetOnePage(t *testing.T) {
	s := liveSite(t, api.Registries{}, metering.PerSecond(1, 1))
	get(s, "/companies/none")
	kept := s.rendered.Len
	for _, address := range []string{"/companies/9900000010", "/companies/9900000134?include=x", "/rates/EUR?to=USD"} {
		if w := get(s, address); w.Code != http.StatusTooManyRequests || kept() != 1 {
			t.Errorf("%s: %d, %d pages are kept", address, w.Code, kept())
		}
	}

	if w := get(s, "/companies/9900000010?lang=ro"); !strings.Contains(w.Body.String(), `<html lang="ro">`) ||
		kept() != 2 {
		t.Errorf("in Romanian: %d pages are kept", kept())
	}
}

// Errors name the inputs of the page, even if the operation's parameters have other names.
func TestProblemsNameTheInputsOfThePage(t *testing.T) {
	s := listingSite(t, newFakeTrade(), &fakeFixings{})
	for address, want := range map[string]string{
		"/rates/EUR?to=XX":         "The currency is not in the expected format. Accepted: a currency code such as EUR",
		"/rates/EUR?to=XX&lang=ro": "Valuta: formatul nu este cel așteptat. Se acceptă: un cod de valută",
		"/rates/SKK":               "The currency: there is no such value.",
		"/rates/EUR?day=none":      "The day of the invoice is not in the expected format. Accepted: a day from 4 January 2005",
		"/companies?activity=abc":  "The CAEN code is not in the expected format.",
		"/places/999999999999":     "The SIRUTA code is outside the accepted range.",
		"/companies?county=ZZ":     "The county: there is no such value.",
	} {
		w := get(s, address)
		text := strings.ReplaceAll(strings.ReplaceAll(w.Body.String(), "<span>", ""), "</span>", "")
		if w.Code != http.StatusBadRequest || !strings.Contains(text, want) {
			_, list, _ := strings.Cut(text, "<ul>")
			t.Errorf("%s: %d without %q: %.200s", address, w.Code, want, list)
		}
	}
}

func TestRedirectsKeepParameters(t *testing.T) {
	s := listingSite(t, newFakeTrade(), &fakeFixings{})
	for address, want := range map[string]string{
		"/rates/eur?to=USD&span=all": "/rates/EUR?to=USD&span=all",
		"/rates/RON":                 "/rates",
		"/caen/k":                    "/caen/K",
		"/caen/62.10?lang=ro":        "/caen/6210?lang=ro",
		"/caen/62.10":                "/caen/6210",
		"/caen/%0D%0Ax":              "/caen/%0D%0AX",
		"/companies/RO9900000010":    "/companies/9900000010",
		"/companies/ro%209900%20000%20010?lang=ro": "/companies/9900000010?lang=ro",
		"/companies/009900000010/history?cursor=x": "/companies/9900000010/history?cursor=x",
		"/companies/RO9900000010/status?date=x":    "/companies/9900000010/status?date=x",
		"/companies/9.900.000.010":                 "/companies/9900000010",
		"/companies/CIF:%20RO9900000010":           "/companies/9900000010",
		"/companies/%3D%229900000010%22":           "/companies/9900000010",
		"/companies/9900000010.0/status":           "/companies/9900000010/status",
		"/companies?q=9900000010":                  "/companies/9900000010",
		"/companies?q=RO+9900000010":               "/companies/9900000010",
		"/companies?q=RO9900000010&lang=ro":        "/companies/9900000010?lang=ro",
		"/companies?q=RO9900000010&lang=xx":        "/companies/9900000010",
	} {
		w := get(s, address)
		if got := w.Header().Get("Location"); w.Code != http.StatusPermanentRedirect || got != want {
			t.Errorf("%s: %d to %q, want %q", address, w.Code, got, want)
		}
	}
}

func TestSwitchingTheLanguageKeepsParameters(t *testing.T) {
	s := listingSite(t, newFakeTrade(), &fakeFixings{})
	for address, want := range map[string]string{
		"/companies?q=exemplu":   `href="?lang=en&amp;q=exemplu"`,
		"/docs/search?q=exemplu": `href="?lang=en&amp;q=exemplu"`,
		"/rates?date=none":       `href="?lang=en&amp;date=none"`, // a problem
		"/docs/search?q=":        `href="?lang=en"`,
	} {
		if w := get(s, address+"&lang=ro"); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: the page lacks the link %s to the other language", address, want)
		}
	}
}

// Browsers remember a permanent redirect, so a temporary failure must not cause one. 4711 is both the code of an
// activity and a valid tax id.
func TestLimitedVisitorOfActivityIsNotRedirected(t *testing.T) {
	s := liveSite(t, api.Registries{Classification: caen.Load(), Trade: newFakeTrade()}, metering.PerSecond(1, 1))
	if w := get(s, "/caen/4711"); w.Code != http.StatusOK {
		t.Fatalf("the first view: %d", w.Code)
	}
	if w := get(s, "/caen/4711"); w.Code != http.StatusTooManyRequests {
		t.Errorf("beyond the limit: %d to %q", w.Code, w.Header().Get("Location"))
	}
}
