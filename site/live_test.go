package site

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// liveSite returns a site over registries with a rate limit for visitors. changes modify its options.
func liveSite(t testing.TB, registries api.Registries, anonymous metering.Rate, changes ...func(*Options)) *Site {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	o := Options{
		Operations: api.Operations(registries, metering.DefaultPlans(), system.About{}),
		Gateway: &op.Gateway{Plans: metering.DefaultPlans(), Anonymous: anonymous, Buckets: metering.NewBuckets(),
			Logger: logger},
		URL:     func(*http.Request) string { return baseURL },
		Address: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.1") },
		Logger:  logger,
	}
	for _, change := range changes {
		change(&o)
	}

	return New(o)
}

// unlimited is a rate that no test reaches.
var unlimited = metering.PerSecond(1e6, 1e6)

type companies = company.Companies // whose own name is that of a method

// oneCompany is the only company that the registers know. Its profile may be changed.
type oneCompany struct {
	companies
	profile *company.Company
	err     error
	sheets  func(context.Context) ([]company.BalanceSheet, []int, error)
	persons *company.LegalRepresentatives
}

func (c *oneCompany) BalanceSheets(ctx context.Context, _ ro.CUI,
	_ company.Years) ([]company.BalanceSheet, []int, bool, error) {
	if c.sheets == nil {
		return nil, nil, true, nil
	}

	sheets, missing, err := c.sheets(ctx)
	return sheets, missing, true, err
}

func (*oneCompany) Filings(_ context.Context, _ ro.CUI, year int) (*company.Filings, error) {
	return &company.Filings{Year: year}, nil
}

func (*oneCompany) PeerFigures(context.Context, int, string) (*company.PeerFigures, error) {
	return new(company.PeerFigures), nil
}

func (c *oneCompany) Insolvency(context.Context, *company.Company) *company.Insolvency {
	return company.NewInsolvency(company.NoProceedings)
}

func (c *oneCompany) LegalRepresentatives(context.Context, ro.CUI) (*company.LegalRepresentatives, error) {
	return c.persons, nil
}

func (c *oneCompany) Company(_ context.Context, day ro.CompanyDay) (op.Answer[*company.Company], error) {
	if c.err != nil || day.CUI != c.profile.TaxID {
		return op.Answer[*company.Company]{}, errors.Join(c.err, op.ErrUnknown)
	}
	return op.Answer[*company.Company]{Value: c.profile}, nil
}

func TestLivePageFollowsItsAnswers(t *testing.T) {
	known := &oneCompany{profile: &company.Company{TaxID: 9900000010, Name: "EXEMPLU <CLUJ> SRL"}}
	s := liveSite(t, api.Registries{Companies: known}, unlimited)
	first := get(s, "/companies/9900000010")
	if first.Code != http.StatusOK || !strings.Contains(first.Body.String(), "EXEMPLU &lt;CLUJ&gt; SRL") {
		t.Fatalf("%d %s", first.Code, first.Body)
	}
	if again := get(s, "/companies/9900000010", "If-None-Match",
		first.Header().Get("Etag")); again.Code != http.StatusNotModified {
		t.Errorf("the same page again: %d", again.Code)
	}
	if ro := get(s, "/companies/9900000010?lang=ro"); !strings.Contains(ro.Body.String(), `<html lang="ro">`) {
		t.Error("the page in Romanian was answered in another language")
	}

	known.profile = &company.Company{TaxID: 9900000010, Name: "EXEMPLU NOU SRL"}
	if changed := get(s, "/companies/9900000010"); !strings.Contains(changed.Body.String(), "EXEMPLU NOU SRL") {
		t.Error("the page shows an answer that has changed since")
	}
}

// A view counts once in the daily allowance of the visitor's address, however many operations its page calls.
func TestViewCountsOnceADay(t *testing.T) {
	known := &oneCompany{profile: exampleProfile(), sheets: exampleSheets}
	s := liveSite(t, api.Registries{Companies: known}, unlimited, func(o *Options) {
		o.Gateway.Daily, o.Gateway.Allowances = op.Daily{Companies: 9, Pages: 2}, metering.NewDays()
	})
	for view, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		if w := get(s, "/companies/9900000010"); w.Code != want {
			t.Errorf("view %d: status %d", view+1, w.Code)
		}
	}
}

// A cached page depends only on its key. The key has parameters without surrounding spaces, because the page trims
// them too.
func TestKeptHistoryHasParametersAsRead(t *testing.T) {
	s := liveSite(t, api.Registries{CompanyHistory: twoNames{}}, unlimited)
	next := regexp.MustCompile(`/history\?cursor=[\w-]+&amp;limit=1"`)
	for _, limit := range []string{"++1++", "1"} {
		w := get(s, "/companies/9900000010/history?limit="+limit)
		if w.Code != http.StatusOK || !next.MatchString(w.Body.String()) {
			t.Errorf("limit=%s: %d, and no link to the next page with limit=1", limit, w.Code)
		}
	}
}

// twoNames is the history of companies that have changed their name.
type twoNames struct{ company.History }

func (twoNames) Facts(context.Context, ro.CUI) ([]company.Fact, []company.Source, op.Freshness, error) {
	at := time.Now().UTC().Truncate(time.Second)
	name := func(text string, days int) company.Fact {
		return company.Fact{Field: "name", Value: company.FactValue{Text: text}, LearnedAt: new(at.AddDate(0, 0,
			days)),
			Source: anaf}
	}
	return []company.Fact{name("EXEMPLU NOU SRL", 0), name("EXEMPLU CLUJ SRL", -9)}, nil, op.Freshness{}, nil
}

// The page of an unknown company names its number, in the visitor's language, and does not name operations.
func TestUnknownCompany(t *testing.T) {
	s := liveSite(t, api.Registries{Companies: &oneCompany{err: op.ErrUnknown}}, unlimited)
	w := get(s, "/companies/9900000134?lang=ro")
	page := w.Body.String()
	if w.Code != http.StatusNotFound || !strings.Contains(page, "<h1>Nicio firmă cu CUI-ul 9900000134</h1>") ||
		!strings.Contains(page, "Numărul nu apare în niciunul dintre registrele consultate.") ||
		!strings.Contains(page, `role="search"`) || strings.Contains(page, "search_companies") {
		t.Errorf("status %d: %s", w.Code, page)
	}
}

func TestProblemsOfLivePages(t *testing.T) {
	known := &oneCompany{profile: &company.Company{TaxID: 9900000010, Name: "EXEMPLU CLUJ SRL"}}
	s := liveSite(t, api.Registries{Companies: known}, metering.PerSecond(1, 3))
	for _, c := range []struct {
		path string
		want int
	}{{"/companies/9900000134", 404}, {"/companies/9900000011", 400}, {"/companies/RO", 400},
		{"/companies/9900000010", 429}} {
		w := get(s, c.path)
		if w.Code != c.want || !strings.Contains(w.Body.String(), "<h1>") ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", c.path, w.Code, w.Header())
		}
		if (w.Header().Get("Retry-After") != "") != (c.want == 429) {
			t.Errorf("%s: Retry-After is %q", c.path, w.Header().Get("Retry-After"))
		}
	}
}

// Every live page takes a token from the rate limit through the operations that it calls.
func TestEveryLivePageIsAdmitted(t *testing.T) {
	inPath := regexp.MustCompile(`\{\w+\}`)
	for _, p := range livePages {
		s := liveSite(t, api.Registries{}, metering.PerSecond(1, 1))
		path := inPath.ReplaceAllString(p.pattern, "1")
		if !s.CallsOperations(httptest.NewRequest(http.MethodGet, path, nil)) {
			t.Errorf("%s calls no operations", path)
		}

		get(s, path)
		if w := get(s, path); w.Code != http.StatusTooManyRequests {
			t.Errorf("a second view of %s at one view a second: %d", path, w.Code)
		}
	}
}
