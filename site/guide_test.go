package site

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Every guide also exists as Markdown. Its page links to the Markdown, and the index for language models lists it.
func TestTwins(t *testing.T) {
	s := newSite(t)
	index := get(s, "/llms.txt").Body.String()
	for _, name := range guideNames {
		for _, lang := range []string{"en", "ro"} {
			page, twin := get(s, "/docs/"+name, "Accept-Language", lang),
				get(s, "/docs/"+name+".md", "Accept-Language", lang)
			if !strings.Contains(page.Body.String(),
				`<link rel="alternate" type="text/markdown" href="/docs/`+name+`.md">`) {
				t.Errorf("%s (%s) does not say where its twin is", name, lang)
			}

			title, _, _ := strings.Cut(strings.TrimPrefix(twin.Body.String(), "# "), "\n")
			if twin.Header().Get("Content-Type") != markdownType ||
				!strings.Contains(page.Body.String(), ">"+title+"</h1>") {
				t.Errorf("%s (%s): the twin is %s with the title %q", name, lang,
					twin.Header().Get("Content-Type"), title)
			}
		}

		if !strings.Contains(index, "("+baseURL+"/docs/"+name+".md): ") {
			t.Errorf("llms.txt does not list %s", name)
		}
	}

	if reference := get(s, "/docs/api.md").Body.String(); !strings.Contains(reference,
		"`GET /v1/companies/{cui}`, tool `get_company`, 1 credit") {
		t.Errorf("the reference as Markdown begins\n%.600s", reference)
	}
}

// A guide has the same structure and the same examples in both languages, and every file belongs to a guide.
func TestTranslations(t *testing.T) {
	example := regexp.MustCompile("(?s)```.*?```")
	for _, name := range guideNames {
		en := testkit.Must(guideFiles.ReadFile("guides/" + name + ".md"))
		ro := testkit.Must(guideFiles.ReadFile("guides/" + name + ".ro.md"))
		if !slices.EqualFunc(example.FindAll(en, -1), example.FindAll(ro, -1), bytes.Equal) {
			t.Errorf("%s has other examples in Romanian", name)
		}

		for _, mark := range []string{"\n#", "\n|", "\n- "} {
			if bytes.Count(en, []byte(mark)) != bytes.Count(ro, []byte(mark)) {
				t.Errorf("%s has a different structure in Romanian: %q", name, mark)
			}
		}

		if bytes.ContainsAny(ro, "şţŞŢ") {
			t.Errorf("%s has a cedilla where a comma belongs", name)
		}
	}

	entries, err := guideFiles.ReadDir("guides")
	if err != nil || len(entries) != 2*len(guideNames) {
		t.Errorf("%d files for %d guides: %v", len(entries), len(guideNames), err)
	}
}

// The requests in guides ask for companies that the deployment knows, in both languages, in HTML and in Markdown.
// Invented answers are marked as answers of the sandbox.
func TestGuidesAskForKnownCompanies(t *testing.T) {
	sandbox, production := siteIn(t, "sandbox"), siteIn(t, "production")
	invented := regexp.MustCompile(`99000\d{5}|EXEMPLU`)
	console := regexp.MustCompile("(?s)```console\n.*?```\n\n([^\n]*)\n")
	for _, name := range guideNames {
		for l := range languages {
			path := "/docs/" + name + ".md?lang=" + l.String()
			if text := get(sandbox, path).Body.String(); strings.Contains(text, "<!--") ||
				strings.Contains(text, "companies/14399840") {
				t.Errorf("%s in the sandbox is not for the sandbox", path)
			}

			text := get(production, path).Body.String()
			for _, block := range console.FindAllStringSubmatch(text, -1) {
				if !strings.HasPrefix(block[1], words{l}.say("reference.invented")) {
					t.Errorf("%s shows an invented answer without saying so: %s", path, block[0])
				}
			}

			for _, block := range regexp.MustCompile("(?s)```(\\w+)\n.*?```").FindAllStringSubmatch(text, -1) {
				if block[1] != "console" && invented.MatchString(block[0]) &&
					!strings.Contains(block[0], "9900000011") {
					t.Errorf("%s asks for an invented company: %s", path, block[0])
				}
			}

			if strings.Contains(text, "<!--") {
				t.Errorf("%s has a marker for another kind of deployment", path)
			}
		}
	}

	for _, path := range []string{"/docs/first-request", "/docs/first-request.md"} {
		if body := get(sandbox, path).Body.String(); !strings.Contains(body, "/v1/companies/9900000010") ||
			!strings.Contains(body, "exists in the sandbox only") {
			t.Errorf("%s in the sandbox does not ask for the invented company", path)
		}

		body := get(production, path).Body.String()
		if !strings.Contains(body, "/v1/companies/14399840") || strings.Contains(body, "exists in the sandbox only") ||
			!strings.Contains(body, "q=dante%20international") {
			t.Errorf("%s in production does not ask for a known company", path)
		}
		if !strings.Contains(body, "An answer of the sandbox, where companies and values are invented.") {
			t.Errorf("%s shows invented rates without saying so", path)
		}
	}

	for _, path := range []string{"/docs/errors", "/docs/errors.md"} {
		if strings.Contains(get(production, path).Body.String(), "9900009010") {
			t.Errorf("%s in production asks for a number that only the sandbox knows", path)
		}
	}
}
