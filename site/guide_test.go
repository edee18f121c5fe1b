package site

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTwins: every guide is there as Markdown too, its page says where, and the
// index for language models lists it.
func TestTwins(t *testing.T) {
	s := newSite(t)
	index := get(s, "/llms.txt").Body.String()
	for _, name := range guideNames {
		for _, lang := range []string{"en", "ro"} {
			page, twin := get(s, "/docs/"+name, "Accept-Language", lang), get(s, "/docs/"+name+".md", "Accept-Language", lang)
			if !strings.Contains(page.Body.String(), `<link rel="alternate" type="text/markdown" href="/docs/`+name+`.md">`) {
				t.Errorf("%s (%s) does not say where its twin is", name, lang)
			}
			title, _, _ := strings.Cut(strings.TrimPrefix(twin.Body.String(), "# "), "\n")
			if twin.Header().Get("Content-Type") != markdownType || !strings.Contains(page.Body.String(), ">"+title+"</h1>") {
				t.Errorf("%s (%s): the twin is %s with the title %q", name, lang, twin.Header().Get("Content-Type"), title)
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

// TestTranslations: a guide has the same examples in both languages, the same
// shape, and no file is left over.
func TestTranslations(t *testing.T) {
	example := regexp.MustCompile("(?s)```.*?```")
	for _, name := range guideNames {
		en, err := guideFiles.ReadFile("guides/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		ro, err := guideFiles.ReadFile("guides/" + name + ".ro.md")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(example.FindAll(en, -1), example.FindAll(ro, -1), bytes.Equal) {
			t.Errorf("%s has other examples in Romanian", name)
		}
		for _, mark := range []string{"\n#", "\n|", "\n- "} {
			if bytes.Count(en, []byte(mark)) != bytes.Count(ro, []byte(mark)) {
				t.Errorf("%s is of another shape in Romanian: %q", name, mark)
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
