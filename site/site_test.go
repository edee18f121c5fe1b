package site

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
)

const baseURL = "https://api.example.ro"

func newSite(t *testing.T) *Site {
	t.Helper()
	return siteIn(t, "sandbox")
}

// siteIn returns the site of a deployment.
func siteIn(t *testing.T, environment string) *Site {
	t.Helper()
	o := optionsOf(t)
	o.Environment = environment
	return New(o)
}

func optionsOf(t *testing.T) Options {
	t.Helper()
	return Options{
		Environment: "sandbox",
		Operations:  api.Operations(api.Registries{}, metering.DefaultPlans(), system.About{}),
		URL:         func(*http.Request) string { return baseURL },
		Providers:   []string{"github"}, Mails: true, Apps: true,
	}
}

// get requests a path, with headers as alternating names and values.
func get(s *Site, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}

	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// pagesOf returns every HTML page in every language, by path and language.
func pagesOf(t *testing.T, s *Site) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for path, f := range s.files {
		for l := range languages {
			if f.contentType == htmlType {
				found[path+" "+l.String()] = string(f.bodies()[l])
			}
		}
	}

	if len(found) < 2*(len(pages)+len(guideNames)) {
		t.Fatalf("there are only %d pages", len(found))
	}

	return found
}

func TestEveryFileIsGuarded(t *testing.T) {
	s := newSite(t)
	for path := range s.files {
		w := get(s, path)
		h := w.Header()
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: status %d, %d bytes", path, w.Code, w.Body.Len())
		}
		if got := h.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'; script-src 'self';") ||
			strings.Contains(got, "unsafe") {
			t.Errorf("%s: Content-Security-Policy is %q", path, got)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Type") == "" ||
			h.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: headers %v", path, h)
		}

		again := get(s, path, "If-None-Match", h.Get("Etag"))
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s: a repeated request got %d and %d bytes, not 304", path, again.Code, again.Body.Len())
		}
	}
}

// Pages contain no inline scripts or styles, because the Content-Security-Policy forbids them.
func TestPagesNeedNoExemption(t *testing.T) {
	inline := regexp.MustCompile(`<script(>| [^>]*[^>]>[^<])|<style|\sstyle=|\son[a-z]+=`)
	for page, html := range pagesOf(t, newSite(t)) {
		if found := inline.FindString(html); found != "" {
			t.Errorf("%s has %q in it", page, found)
		}
	}
}

// Every page is among those that the browser walks visit, or among the exceptions.
func TestEveryPageIsWalked(t *testing.T) {
	var list struct {
		Pages      []struct{ Path string }
		Exceptions map[string]string // reasons by pattern
	}
	testkit.NoError(t, json.Unmarshal(testkit.Must(os.ReadFile("browser/pages.json")), &list))
	s, exceptions, walked := newSite(t), http.NewServeMux(), make(map[string]bool)
	for pattern := range list.Exceptions {
		exceptions.Handle(pattern, http.NotFoundHandler())
	}
	for _, p := range list.Pages {
		r := httptest.NewRequest(http.MethodGet, p.Path, nil)
		if !s.Has(r) {
			t.Errorf("the walks visit %s, which the site does not have", p.Path)
		}

		_, pattern := s.mux.Handler(r)
		_, exception := exceptions.Handler(r)
		walked[strings.TrimPrefix(pattern, "GET ")], walked[exception] = true, true
	}

	for _, route := range routesOf(t, s) {
		exception := route
		if _, ok := s.files[route]; ok { // similar files may share an exception, if one of them is walked
			_, exception = exceptions.Handler(httptest.NewRequest(http.MethodGet, route, nil))
		}

		switch {
		case walked[route]:
		case list.Exceptions[exception] == "":
			t.Errorf("%s is neither among the pages of browser/pages.json nor among its exceptions", route)
		case exception != route && !walked[exception]:
			t.Errorf("none of %s is among the pages of browser/pages.json", exception)
		}
	}
}

// routesOf returns the patterns of the site that serve pages: files, live pages, and others.
func routesOf(t *testing.T, s *Site) (routes []string) {
	t.Helper()
	for path, f := range s.files {
		if f.contentType == htmlType {
			_, pattern := s.mux.Handler(httptest.NewRequest(http.MethodGet, path, nil))
			routes = append(routes, pattern)
		}
	}
	for _, p := range livePages {
		routes = append(routes, p.pattern)
	}

	for _, source := range testkit.Must(filepath.Glob("*.go")) {
		text := testkit.Must(os.ReadFile(source))
		for _, match := range regexp.MustCompile(`mux\.HandleFunc\("(?:GET )?(/[^"]+)"`).FindAllSubmatch(text, -1) {
			routes = append(routes, string(match[1]))
		}
	}

	return routes
}

func TestUnknownPathsAreNotServed(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{
		"/nothing", "/docs/nothing", "/assets/", "/assets/old/site.css", "/v1/companies", "//", "/dashboard/nothing",
		"/docs/..", "/./docs", "/docs/.",
	} {
		if s.Has(httptest.NewRequest("GET", path, nil)) {
			t.Errorf("the site claims to have %s", path)
		}
	}

	if w := get(s, "/docs/"); w.Code != http.StatusPermanentRedirect || w.Header().Get("Location") != "/docs" {
		t.Errorf("a slash too many: %d to %q", w.Code, w.Header().Get("Location"))
	}
}

func TestLanguage(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		name, path string
		headers    []string
		want       string
	}{
		{"nobody says", "/", nil, "en"},
		{"the browser's", "/", []string{"Accept-Language", "ro-RO,ro;q=0.9,en;q=0.8"}, "ro"},
		{"the browser's first of ours", "/status", []string{"Accept-Language", "hu,en;q=0.8,ro;q=0.5"}, "en"},
		{"a choice before the browser's", "/docs",
			[]string{"Accept-Language", "en", "Cookie", "__Host-rodata_lang=ro"}, "ro"},
		{"the address before a choice", "/?lang=en", []string{"Cookie", "rodata_lang=ro"}, "en"},
		{"a cookie that is not ours", "/", []string{"Cookie", "rodata_lang=xx"}, "en"},
		{"a guide's twin too", "/docs/errors.md", []string{"Accept-Language", "ro"}, "ro"},
	} {
		w := get(s, c.path, c.headers...)
		if got := w.Header().Get("Content-Language"); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
		if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") &&
			!strings.Contains(w.Body.String(), `<html lang="`+c.want+`">`) {
			t.Errorf("%s: the page is not in %s", c.name, c.want)
		}
		if !strings.Contains(w.Header().Get("Vary"), "Accept-Language") {
			t.Errorf("%s: Vary is %q", c.name, w.Header().Get("Vary"))
		}
	}

	if cookie := get(s, "/?lang=ro").Header().Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-rodata_lang=ro; ") {
		t.Errorf("a choice is kept as %q", cookie)
	}
}

// Pages show the address of the service. A forged address in a request cannot become markup.
func TestAddress(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/", "/docs/mcp", "/docs/mcp.md", "/llms.txt", "/docs/api.md"} {
		body := get(s, path).Body.String()
		if strings.Contains(body, exampleAddress) || !strings.Contains(body, baseURL) {
			t.Errorf("%s does not speak of %s", path, baseURL)
		}
	}

	s.URL = func(*http.Request) string { return `http://<script>"'` }
	if body := get(s, "/").Body.String(); strings.Contains(body, "http://<script>") {
		t.Error("the address became markup")
	}
}

// Pages neither load anything from other hosts nor link to them.
func TestNoOutsideAddress(t *testing.T) {
	outside := regexp.MustCompile(`(?:https?:)?//[a-zA-Z0-9][\w.-]*`)
	allowed := []string{strings.TrimSuffix(exampleAddress, ":8080"), "http://www.w3.org"} // the second names SVG
	for path, f := range newSite(t).files {
		if strings.HasPrefix(path, "/docs/api") {
			continue // it shows operation texts, which may contain addresses
		}

		for l := range languages {
			for _, address := range outside.FindAllString(string(f.bodies()[l]), -1) {
				if !slices.Contains(allowed, address) {
					t.Errorf("%s has the address %s", path, address)
				}
			}
		}
	}
}

// Every link leads to an existing page or fragment, or to the API.
func TestLinks(t *testing.T) {
	s := newSite(t)
	link := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	for page, html := range pagesOf(t, s) {
		path, lang, _ := strings.Cut(page, " ")
		l, _ := parseLanguage(lang)
		for _, match := range link.FindAllStringSubmatch(html, -1) {
			target, fragment, _ := strings.Cut(match[1], "#")
			target, _, _ = strings.Cut(strings.TrimPrefix(target, exampleAddress), "?")
			if target == "" {
				target = path
			}
			if strings.HasPrefix(target, "/problems/") || target == "/openapi.json" || target == "/v1/status" {
				continue
			}
			f, ok := s.files[target]
			if !ok && s.Has(httptest.NewRequest("GET", target, nil)) {
				continue
			}

			if !ok {
				t.Errorf("%s links to %s, where nothing is", page, match[1])
			} else if fragment != "" && !bytes.Contains(f.bodies()[l], []byte(`id="`+fragment+`"`)) {
				t.Errorf("%s links to %s, which has no such part", page, match[1])
			}
		}
	}
}

// Every sentence that pages and scripts use exists in both languages, and every sentence is used.
func TestSentences(t *testing.T) {
	sentences := readTexts()
	var all strings.Builder
	for _, files := range []struct {
		folder string
		names  []string
	}{{"pages", names(t, "pages")}, {"assets", names(t, "assets")}} {
		for _, name := range files.names {
			body, err := pageFiles.ReadFile(files.folder + "/" + name)
			if files.folder == "assets" {
				body, err = assetFiles.ReadFile(files.folder + "/" + name)
			}
			testkit.NoError(t, err)

			all.Write(body)
		}
	}

	sources := testkit.Must(filepath.Glob("*.go"))
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}

		body := testkit.Must(os.ReadFile(name))
		all.Write(body)
	}

	used := all.String()
	for _, match := range regexp.MustCompile("(?:\\bt|\\bplural|\\byes)\\([^'(`]*'([a-z]\\w*(?:\\.[\\w-]+)*)'|\\b(?:t|plural|say)[ (]\"([^\"]+[^\".])\"").FindAllStringSubmatch(used, -1) {
		key := match[1] + match[2]
		// a key that ends in a dot is the prefix of composed keys
		if _, ok := sentences[key]; !ok && !strings.HasSuffix(key, ".") {
			if _, ok := sentences[key+".other"]; !ok {
				t.Errorf("text.json has no %q", key)
			}
		}
	}
	// Composed keys: t(`state.${state}`), w.say("state." + state), {{t (print "state." .State)}}.
	prefixes := regexp.MustCompile("[`\"](\\w+)\\.(?:\\$\\{|\" ?\\+|\" \\$|\" \\.)").FindAllStringSubmatch(used, -1)
	for key, text := range sentences {
		if text[english] == "" || text[romanian] == "" {
			t.Errorf("%q is missing in a language", key)
		}
		if blanks(text[english]) != blanks(text[romanian]) {
			t.Errorf("%q has other blanks to fill in each language", key)
		}

		stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".few"), ".other")
		built := slices.ContainsFunc(prefixes, func(p []string) bool { return strings.HasPrefix(key, p[1]+".") })
		if !built && !strings.Contains(used, "'"+stem+"'") && !strings.Contains(used, `"`+stem+`"`) {
			t.Errorf("no page or script uses %q", key)
		}
	}
}

// Dynamic imports and a top-level await let a browser finish loading a page before its scripts have run, so keys
// pressed right then are lost.
func TestScriptsHaveRunWhenPageIsLoaded(t *testing.T) {
	late := regexp.MustCompile(`(?m)\bimport\(|^(?:(?:export )?(?:const|let) .*=)? *await\b`)
	for path, f := range newSite(t).files {
		if !strings.HasPrefix(path, "/assets/") || !strings.HasSuffix(path, ".js") {
			continue
		}
		if found := late.Find(f.bodies()[english]); found != nil {
			t.Errorf("%s has %q, which runs after the page is loaded", path, found)
		}
	}
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	files := pageFiles
	if folder == "assets" {
		files = assetFiles
	}

	entries := testkit.Must(files.ReadDir(folder))
	for _, entry := range entries {
		all = append(all, entry.Name())
	}

	return all
}

// blanks returns the sorted names of the placeholders in a sentence.
func blanks(text string) string {
	found := make(map[string]bool)
	for _, name := range regexp.MustCompile(`\{\w+\}`).FindAllString(text, -1) {
		found[name] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

// The dashboard offers the kinds of events about companies and watch-lists, in the contract's order.
func TestDashboardKnowsTheKindsOfEvents(t *testing.T) {
	script := testkit.Must(assetFiles.ReadFile("assets/monitoring.js"))
	list := regexp.MustCompile(`(?s)export const kinds = \[(.*?)\]`).FindSubmatch(script)
	if list == nil {
		t.Fatal("the script has no list of kinds")
	}

	offered := regexp.MustCompile(`[\w.]+`).FindAllString(string(list[1]), -1)
	var want []string
	for _, k := range monitoring.EventKinds {
		if text := string(k); strings.HasPrefix(text, "company.") || strings.HasPrefix(text, "watchlist.") {
			want = append(want, text)
		}
	}

	if !slices.Equal(offered, want) {
		t.Errorf("the dashboard knows %q, and the contract has %q", offered, want)
	}
}
