package site

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/caen"
)

// fakeList has companies in operation with the tax ids 2, 4, 6 and so on, and other companies that are not in
// operation.
type fakeList struct {
	release ro.Date
	count   int
	reads   int
	err     error
}

func (f *fakeList) DataThrough() ro.Date { return f.release }

func (f *fakeList) TaxIDs(after ro.CUI, operating bool, limit int) (ids []ro.CUI, err error) {
	f.reads++
	for id := after/2*2 + 2; operating && int(id) <= 2*f.count && len(ids) < limit; id += 2 {
		ids = append(ids, id)
	}
	return ids, f.err
}

// sitemapFile is a sitemap, or an index of sitemaps.
type sitemapFile struct {
	XMLName  xml.Name
	URLs     []sitemapEntry `xml:"url"`
	Sitemaps []sitemapEntry `xml:"sitemap"`
}

type sitemapEntry struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod"`
}

func sitemapAt(t *testing.T, s *Site, path string) (f sitemapFile) {
	t.Helper()
	w := get(s, path)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/xml; charset=utf-8" {
		t.Fatalf("%s: %d %v", path, w.Code, w.Header())
	}
	if err := xml.Unmarshal(w.Body.Bytes(), &f); err != nil ||
		f.XMLName.Space != "http://www.sitemaps.org/schemas/sitemap/0.9" {
		t.Fatalf("%s: %v %v", path, f.XMLName, err)
	}

	return f
}

func siteWithSitemap(t *testing.T, companies CompanyList) *Site {
	registries := api.Registries{Classification: caen.Load(), Fixings: &fakeFixings{}}
	return liveSite(t, registries, unlimited, func(o *Options) {
		o.Sitemap = Sitemap{Classification: registries.Classification, Fixings: registries.Fixings,
			Companies: companies}
	})
}

func TestSitemapOfPages(t *testing.T) {
	s := siteWithSitemap(t, nil)
	if robots := get(s, "/robots.txt").Body.String(); !strings.Contains(robots,
		"\nSitemap: "+baseURL+"/sitemap.xml\n") {
		t.Errorf("robots.txt does not name the sitemap: %s", robots)
	}
	if index := sitemapAt(t, s, "/sitemap.xml"); len(index.Sitemaps) != 1 ||
		index.Sitemaps[0].Loc != baseURL+"/sitemaps/pages.xml" {
		t.Fatalf("the index is %v", index)
	}

	var paths []string
	for _, entry := range sitemapAt(t, s, "/sitemaps/pages.xml").URLs {
		path, ok := strings.CutPrefix(entry.Loc, baseURL)
		if !ok {
			t.Fatalf("the sitemap lists %s", entry.Loc)
		}

		paths = append(paths, path)
	}

	for _, path := range []string{"/", "/docs/errors", "/docs/api/get_company", "/companies", "/caen", "/caen/A",
		"/caen/62", "/caen/6210", "/places",
		"/rates", "/rates/USD", "/about/contact", "/problems/not-found"} {
		if !slices.Contains(paths, path) {
			t.Errorf("the sitemap does not list %s", path)
		}
	}

	for _, path := range paths {
		if strings.HasPrefix(path, "/dashboard") || strings.HasSuffix(path, ".md") {
			t.Errorf("the sitemap lists %s", path)
		}
		if w := get(s, path); w.Code == http.StatusNotFound {
			t.Errorf("the sitemap lists %s, which does not exist", path)
		}
	}

	if s.Has(httptest.NewRequest(http.MethodGet, "/sitemaps/companies-1.xml", nil)) {
		t.Error("companies are listed without the option")
	}
}

func TestSitemapsOfCompanies(t *testing.T) {
	list := &fakeList{release: ro.NewDate(2026, 9, 2), count: 120_001}
	s := siteWithSitemap(t, list)
	index := sitemapAt(t, s, "/sitemap.xml").Sitemaps
	if len(index) != 4 || index[3] != (sitemapEntry{baseURL + "/sitemaps/companies-3.xml", "2026-09-02"}) {
		t.Fatalf("the index is %v", index)
	}

	next := 2
	for n, want := range []int{50_000, 50_000, 20_001} {
		urls := sitemapAt(t, s, fmt.Sprintf("/sitemaps/companies-%d.xml", n+1)).URLs
		if len(urls) != want {
			t.Fatalf("file %d has %d companies", n+1, len(urls))
		}

		for _, url := range urls {
			if want := (sitemapEntry{fmt.Sprintf("%s/companies/%d", baseURL, next), "2026-09-02"}); url != want {
				t.Fatalf("file %d lists %v, not %v", n+1, url, want)
			}
			next += 2
		}
	}

	for _, path := range []string{"/sitemaps/companies-0.xml", "/sitemaps/companies-4.xml",
		"/sitemaps/companies-01.xml", "/sitemaps/companies-1", "/sitemaps/1.xml"} {
		if w := get(s, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// Companies are divided into files once per release, and clients download a file again only if it has changed.
func TestSitemapsFollowTheRelease(t *testing.T) {
	list := &fakeList{count: 70_000}
	s := siteWithSitemap(t, list)
	if index := sitemapAt(t, s, "/sitemap.xml").Sitemaps; len(index) != 1 {
		t.Fatalf("before the first release: %v", index)
	}

	list.release = ro.NewDate(2026, 9, 2)
	first := get(s, "/sitemaps/companies-1.xml")
	reads := list.reads
	if again := get(s, "/sitemaps/companies-1.xml", "If-None-Match",
		first.Header().Get("Etag")); again.Code != http.StatusNotModified || list.reads != reads {
		t.Errorf("the same file again: %d, %d reads", again.Code, list.reads-reads)
	}
	if get(s, "/sitemap.xml"); list.reads != reads {
		t.Errorf("the companies were divided again: %d reads", list.reads-reads)
	}

	list.release, list.count = ro.NewDate(2026, 10, 2), 40_000
	changed := get(s, "/sitemaps/companies-1.xml", "If-None-Match", first.Header().Get("Etag"))
	if changed.Code != http.StatusOK || !strings.Contains(changed.Body.String(), "<lastmod>2026-10-02</lastmod>") {
		t.Errorf("the next release: %d", changed.Code)
	}
	if index := sitemapAt(t, s, "/sitemap.xml").Sitemaps; len(index) != 2 {
		t.Errorf("the next release: %v", index)
	}
}

func TestSitemapWithoutARegister(t *testing.T) {
	list := &fakeList{release: ro.NewDate(2026, 9, 2), count: 10}
	s := siteWithSitemap(t, list)
	sitemapAt(t, s, "/sitemap.xml")

	list.err = errors.New("the index is damaged")
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("a file that ends halfway looks complete")
			}
		}()
		get(s, "/sitemaps/companies-1.xml")
	}()

	list.release = ro.NewDate(2026, 10, 2)
	if w := get(s, "/sitemaps/companies-1.xml"); w.Code != http.StatusInternalServerError {
		t.Errorf("a register that cannot be read: %d", w.Code)
	}
	if index := sitemapAt(t, s, "/sitemap.xml").Sitemaps; len(index) != 1 {
		t.Errorf("a register that cannot be read: %v", index)
	}
}
