package site

import (
	"html"
	"net/http"
	"strings"
	"testing"
)

// Every operation has a page with samples, an example answer, its fields and its problems, in both languages and as
// Markdown.
func TestEveryOperationHasAPage(t *testing.T) {
	s := newSite(t)
	for _, section := range s.shell.Sections {
		for _, o := range section.Operations {
			for l := range languages {
				page := get(s, o.Page()+"?lang="+l.String())
				body := html.UnescapeString(page.Body.String())
				if page.Code != http.StatusOK || !strings.Contains(body, "<h1>"+o.Heading(l)+"</h1>") {
					t.Fatalf("%s in %s: %d", o.Page(), l, page.Code)
				}

				holds(t, o, body, `id="field-`)
			}

			holds(t, o, html.UnescapeString(get(s, o.Page()+".md").Body.String()), "## Fields of the answer")
		}
	}
}

// holds checks the content that a page and its Markdown version have in common.
func holds(t *testing.T, o operation, body, fields string) {
	t.Helper()
	if example := o.ExampleText(); !strings.Contains(body, example) {
		t.Errorf("%s: a page has no example of the answer", o.Name)
	} else if example == "" && o.Success != http.StatusNoContent && !strings.HasPrefix(o.Media(), "application/") {
		t.Errorf("%s has no example", o.Name)
	}

	if answer := o.Answer(); answer != nil && len(answer.Fields()) > 0 && !strings.Contains(body, fields) {
		t.Errorf("%s: a page has no fields", o.Name)
	}

	for _, k := range o.Problems() {
		if !strings.Contains(body, "/problems/"+k.Slug) || !strings.Contains(body, k.Meaning) {
			t.Errorf("%s: a page does not explain %s", o.Name, k.Slug)
		}
	}

	for _, sample := range o.Samples() {
		last := sample.Code[len(sample.Code)-1]
		if text := strings.ReplaceAll(last.Text, exampleAddress, baseURL); !strings.Contains(body, text) {
			t.Errorf("%s: a page has no sample in %s", o.Name, sample.Language)
		}
		if withKey := strings.Contains(sample.Code.With(), "rodata_live_..."); withKey != o.NeedsKey() {
			t.Errorf("%s: the sample in %s sends a key: %t", o.Name, sample.Language, withKey)
		}
	}
}

// Every operation and section has a Romanian name, and every Romanian name belongs to one of them.
func TestRomanianNames(t *testing.T) {
	tags, operations := inRomanian().Tags, inRomanian().Operations
	sections := newSite(t).shell.Sections
	known := 0
	for _, section := range sections {
		known += len(section.Operations)
		if tags[section.Tag] == "" {
			t.Errorf("romanian.json has no tag %q", section.Tag)
		}

		for _, o := range section.Operations {
			if operations[o.Name] == "" {
				t.Errorf("romanian.json has no operation %q", o.Name)
			}
		}
	}

	if len(tags) != len(sections) || len(operations) != known {
		t.Errorf("romanian.json has %d tags and %d operations; there are %d and %d", len(tags), len(operations),
			len(sections), known)
	}
}

// Samples ask for invented companies in the sandbox, and for real ones in a deployment with real registries.
func TestSamplesAskForKnownCompanies(t *testing.T) {
	for environment, c := range map[string]struct{ known, unknown string }{
		"sandbox": {"9900000010", "14399840"}, "production": {"14399840", "9900000010"},
	} {
		s := siteIn(t, environment)
		for _, section := range s.shell.Sections {
			for _, o := range section.Operations {
				if r := o.Request(); strings.Contains(r.URL+r.Body, c.unknown) {
					t.Errorf("%s: the sample of %s asks for %s", environment, o.Name, c.unknown)
				}
			}
		}

		for _, path := range []string{"/docs/api/get_company", "/docs/api/get_company.md"} {
			if body := get(s, path).Body.String(); !strings.Contains(body, baseURL+"/v1/companies/"+c.known) {
				t.Errorf("%s: %s does not ask for %s", environment, path, c.known)
			}
		}
	}
}
