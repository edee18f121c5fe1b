package site

import (
	"bufio"
	"fmt"
	"html"
	"iter"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Sitemap describes the pages that sitemaps list in addition to the pages of every deployment.
type Sitemap struct {
	// Classification and Fixings provide the activities and the currencies that have a page. Either may be nil.
	Classification reference.Classification
	Fixings        interface{ Currencies() []ro.Currency }
	// Companies lists the companies with a page. If it is nil, sitemaps contain no companies.
	Companies CompanyList
}

const (
	sitemapNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
	sitemapHeader    = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
)

// sitemapDocument sets the headers of sitemaps.
var sitemapDocument = file{contentType: "application/xml; charset=utf-8", cacheControl: revalidated}

// addSitemaps adds the sitemaps and their index.
func (s *Site) addSitemaps() {
	s.companyFiles = &companyFiles{list: s.Sitemap.Companies}
	s.mux.HandleFunc("/sitemap.xml", s.serveSitemapIndex)
	s.mux.HandleFunc("/sitemaps/pages.xml", s.servePageSitemap)
	if s.Sitemap.Companies != nil {
		s.mux.HandleFunc("/sitemaps/{file}", s.serveCompanySitemap)
	}
}

// serveSitemapIndex lists the sitemaps. Companies are absent until a release of the trade register is loaded.
func (s *Site) serveSitemapIndex(w http.ResponseWriter, r *http.Request) {
	base, index := html.EscapeString(s.URL(r)), new(strings.Builder)
	fmt.Fprintf(index, "%s<sitemapindex xmlns=%q>\n", sitemapHeader, sitemapNamespace)
	fmt.Fprintf(index, "<sitemap><loc>%s/sitemaps/pages.xml</loc></sitemap>\n", base)
	release, starts, err := s.companyFiles.current()
	if err != nil {
		s.Logger.Warn("the sitemap lists no companies", "error", err)
	}

	for i := range starts {
		fmt.Fprintf(index, "<sitemap><loc>%s/sitemaps/companies-%d.xml</loc><lastmod>%s</lastmod></sitemap>\n", base,
			i+1, release)
	}

	index.WriteString("</sitemapindex>\n")
	sitemapDocument.serve(w, r, []byte(index.String()))
}

// servePageSitemap lists every page, except for the pages of companies and places, and the pages that need a session.
func (s *Site) servePageSitemap(w http.ResponseWriter, r *http.Request) {
	base, urls := html.EscapeString(s.URL(r)), new(strings.Builder)
	fmt.Fprintf(urls, "%s<urlset xmlns=%q>\n", sitemapHeader, sitemapNamespace)
	for _, path := range s.listedPages() {
		fmt.Fprintf(urls, "<url><loc>%s%s</loc></url>\n", base, html.EscapeString(path))
	}

	urls.WriteString("</urlset>\n")
	sitemapDocument.serve(w, r, []byte(urls.String()))
}

// listedPages are the paths of the pages for search engines, sorted.
func (s *Site) listedPages() []string {
	paths := []string{"/companies", "/caen", "/places", "/rates", contactPath}
	for path, f := range s.files {
		if f.contentType == htmlType && !strings.HasPrefix(path, "/dashboard") {
			paths = append(paths, path)
		}
	}

	if s.Sitemap.Classification != nil {
		all, _ := s.Sitemap.Classification.Search(reference.ActivityQuery{Limit: math.MaxInt32})
		for _, activity := range all {
			paths = append(paths, "/caen/"+string(activity.Code))
		}
	}

	if s.Sitemap.Fixings != nil {
		for _, currency := range s.Sitemap.Fixings.Currencies() {
			paths = append(paths, "/rates/"+string(currency))
		}
	}

	slices.Sort(paths)
	return slices.Compact(paths)
}

// serveCompanySitemap streams one sitemap of companies. If it fails halfway, it aborts the connection, so that clients
// do not mistake the part for the whole file.
func (s *Site) serveCompanySitemap(w http.ResponseWriter, r *http.Request) {
	number, found := strings.CutPrefix(strings.TrimSuffix(r.PathValue("file"), ".xml"), "companies-")
	n, err := strconv.Atoi(number)
	release, starts, failure := s.companyFiles.current()
	switch {
	case failure != nil:
		s.fail(w, r, failure)
		return
	case !found || err != nil || n < 1 || n > len(starts) || r.PathValue("file") != fmt.Sprintf("companies-%d.xml", n):
		s.ServeProblem(w, r, &problem.Problem{Kind: problem.NotFound})
		return
	}

	base := html.EscapeString(s.URL(r))
	h := w.Header()
	sitemapDocument.writeHeader(h, op.NewDocument(fmt.Appendf(nil, "%s %s %s", base, release, r.URL.Path)))
	if strings.Contains(r.Header.Get("If-None-Match"), h.Get("Etag")) { // the client already has the file
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if r.Method == http.MethodHead {
		return
	}

	out := bufio.NewWriterSize(w, 32<<10)
	fmt.Fprintf(out, "%s<urlset xmlns=%q>\n", sitemapHeader, sitemapNamespace)
	for cui, err := range s.companyFiles.companies(starts, n-1) {
		if err != nil {
			s.Logger.LogAttrs(r.Context(), slog.LevelWarn, "a sitemap of companies was cut off", slog.Any("error", err))
			panic(http.ErrAbortHandler)
		}
		if _, err := fmt.Fprintf(out, "<url><loc>%s/companies/%d</loc><lastmod>%s</lastmod></url>\n", base, cui,
			release); err != nil {
			return // the reader has left
		}
	}

	out.WriteString("</urlset>\n")
	out.Flush()
}

// CompanyList lists the companies of the trade register.
type CompanyList interface {
	// DataThrough returns the day of the served release; zero before the first.
	DataThrough() ro.Date
	// TaxIDs returns up to limit tax ids after a given one, in ascending order. With operating, it returns only
	// companies in operation.
	TaxIDs(after ro.CUI, operating bool, limit int) ([]ro.CUI, error)
}

const (
	// perSitemap is the maximum number of addresses that the protocol allows in a file.
	perSitemap = 50_000
	// perRead is the number of tax ids that are read at a time.
	perRead = 5_000
)

// companyFiles divides the companies in operation into sitemaps. The first tax id of each file is computed once per
// release, so a file has the same companies until the next release.
type companyFiles struct {
	list CompanyList // nil for none

	mu      sync.Mutex
	release ro.Date
	starts  []ro.CUI // the first tax id of each file
}

// current returns the served release and the first tax id of each file. Before the first release there are no files.
func (c *companyFiles) current() (ro.Date, []ro.CUI, error) {
	if c.list == nil {
		return 0, nil, nil
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	// The loop starts again if a new release appears in the meantime.
	for release := c.list.DataThrough(); release != c.release; release = c.list.DataThrough() {
		starts, err := c.divide()
		if err != nil {
			return 0, nil, err
		}

		c.release, c.starts = release, starts
	}

	return c.release, c.starts, nil
}

func (c *companyFiles) divide() (starts []ro.CUI, err error) {
	n := 0
	for cui, err := range c.companiesAfter(0) {
		if err != nil {
			return nil, err
		}
		if n%perSitemap == 0 {
			starts = append(starts, cui)
		}

		n++
	}

	return starts, nil
}

// companies yields the companies of a file, or an error. A file holds at most perSitemap companies and does not overlap
// with the next one, even if a new release appears in the meantime.
func (c *companyFiles) companies(starts []ro.CUI, file int) iter.Seq2[ro.CUI, error] {
	return func(yield func(ro.CUI, error) bool) {
		n := 0
		for cui, err := range c.companiesAfter(starts[file] - 1) {
			if n == perSitemap || file+1 < len(starts) && cui >= starts[file+1] || !yield(cui, err) {
				return
			}
			n++
		}
	}
}

// companiesAfter yields the companies in operation after a tax id, or an error.
func (c *companyFiles) companiesAfter(last ro.CUI) iter.Seq2[ro.CUI, error] {
	return func(yield func(ro.CUI, error) bool) {
		for {
			ids, err := c.list.TaxIDs(last, true, perRead)
			if err != nil {
				yield(0, err)
				return
			}

			for _, id := range ids {
				if !yield(id, nil) {
					return
				}
				last = id
			}

			if len(ids) < perRead {
				return
			}
		}
	}
}
