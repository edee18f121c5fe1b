package site

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// filer is a company with statements in the ministry's files. Like the service, it returns the last five if no years
// are requested.
type filer struct {
	oneCompany
	sheets   []company.BalanceSheet // the newest first
	missing  []int
	complete []int
	license  *string
}

func (f *filer) BalanceSheets(_ context.Context, _ ro.CUI, years company.Years) ([]company.BalanceSheet, []int, bool,
	error) {
	if years.Named == nil {
		return f.sheets[:min(5, len(f.sheets))], f.missing, true, nil
	}

	return slices.DeleteFunc(slices.Clone(f.sheets), func(b company.BalanceSheet) bool {
		return !slices.Contains(years.Named, b.Year)
	}), nil, true, nil
}

func (f *filer) Filings(_ context.Context, _ ro.CUI, year int) (*company.Filings, error) {
	filings := &company.Filings{Year: year, CompleteYears: f.complete, Origin: &company.StatementOrigin{
		Package: "situatii_financiare_2025", License: f.license, AsOf: ro.NewDate(2026, 7, 15)}}
	for _, b := range f.sheets {
		filings.Years = append(filings.Years, b.Year)
		if b.Year == year {
			filings.Sheet = new(b)
		}
	}

	return filings, nil
}

// newFiler returns a company with statements for some years, the newest first. Each has the year as its turnover.
func newFiler(years ...int) *filer {
	f := &filer{oneCompany: oneCompany{profile: exampleProfile()}}
	for _, year := range years {
		f.sheets = append(f.sheets, company.BalanceSheet{Year: year, Turnover: new(int64(year * 1000))})
	}
	return f
}

// The page shows the statements of all years in the files, of which a profile has only the last five.
func TestStatementsOfAllYears(t *testing.T) {
	last := company.LastFiledYear()
	f := newFiler()
	for year := last; year >= company.FirstFiledYear; year-- {
		f.sheets = append(f.sheets, company.BalanceSheet{Year: year, Turnover: new(int64(year))})
	}

	s := liveSite(t, api.Registries{Companies: f}, unlimited)
	has(t, get(s, "/companies/9900000010"), `<th scope="row">2009</th><td class="number">2,009</td>`,
		`aria-label="Net turnover by year, 2009 to `, "Net turnover</th>", "Average number of employees</figcaption>",
		`<a href="https://data.gov.ro/dataset/situatii_financiare_2025">data.gov.ro</a>, no licence stated.`,
		"of 15 July 2026", "Law 82/1991 art. 36")

	f.license = new("cc-by")
	s = liveSite(t, api.Registries{Companies: f}, unlimited)
	has(t, get(s, "/companies/9900000010?lang=ro"), "licența cc-by.", "Legea 82/1991 art. 36", "Cifra de afaceri netă",
		"Număr mediu de salariați", "Capitaluri proprii")
}

// A year without a statement is a gap with its reason, also on a page that was rendered before the reason changed. A
// figure that is not stated is not 0.
func TestGapsOfStatements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		last := company.LastFiledYear()
		f, gap := newFiler(last, last-1, last-3, last-4), strconv.Itoa(last-2)
		f.complete = []int{last - 2}
		s := liveSite(t, api.Registries{Companies: f}, unlimited)
		page := get(s, "/companies/9900000010")
		has(t, page, gap+": not in the published files.",
			`<th scope="row">`+gap+`</th><td colspan="5" class="missing">not in the published files</td>`,
			`<td class="number"><span class="missing">not stated</span></td>`, "?<title>")
		if n := strings.Count(page.Body.String(), `<rect class="gap"`); n != charted {
			t.Errorf("%d gaps are drawn", n)
		}

		f.complete = nil
		<-time.After(recentFor)
		has(t, get(s, "/companies/9900000010"), gap+": the files of the year are not loaded here.")
		f.missing = []int{last - 2}
		<-time.After(recentFor)
		has(t, get(s, "/companies/9900000010?lang=ro"), gap+": încă nu se cunoaște.", "Încă nu se cunosc: "+gap,
			`<span class="missing">nedeclarat</span>`)
	})
}

// If the newest statement that was due is missing, the page shows its year as a gap.
func TestGapOfTheLastYear(t *testing.T) {
	due := exampleProfile().LastDueYear(ro.Today())
	f := newFiler(due-1, due-2)
	f.complete = []int{due}
	year := strconv.Itoa(due)
	s := liveSite(t, api.Registries{Companies: f}, unlimited)
	has(t, get(s, "/companies/9900000010"), year+": not in the published files.")

	f.profile.Inactive.StruckOff = on("2012-01-01")
	s = liveSite(t, api.Registries{Companies: f}, unlimited)
	if body := get(s, "/companies/9900000010").Body.String(); strings.Contains(body, year+": not in") {
		t.Error("a company that was struck off before has a gap")
	}
}

func TestChangeOfAFigure(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name          string
		newest, older *int64
		gap           int
		want          string
	}{
		{"growth", n(1100), n(1000), 1, "+100 (+10%) from 2024"},
		{"decline", n(1), n(1000), 1, "-999 (-99.9%) from 2024"},
		{"to nothing", n(0), n(50), 1, "-50 (-100%) from 2024"},
		{"as before", n(5), n(5), 1, "as in 2024"},
		{"from a loss", n(100), n(-50), 1, "+150 from 2024"},
		{"into a loss", n(-100), n(50), 1, "-150 from 2024"},
		{"from nothing", n(100), n(0), 1, "+100 from 2024"},
		{"not stated before", n(100), nil, 1, "no figure of 2024 to compare with"},
		{"a year between", n(100), n(90), 2, "no figure of 2024 to compare with"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &companyPage{words: words{english}, Sheets: []company.BalanceSheet{
				{Year: 2025, Turnover: c.newest}, {Year: 2025 - c.gap, Turnover: c.older}}}
			got := p.change(*c.newest, func(b *company.BalanceSheet) *int64 { return b.Turnover })
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Charts have their own scale; their bars stay inside, losses below the line of zero.
func TestCharts(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	p := &companyPage{words: words{romanian}, Today: ro.Today(), Company: exampleProfile(),
		Sheets: []company.BalanceSheet{
			{Year: 2025, Turnover: n(1e15), NetResult: n(-1e15), Employees: n(0)},
			{Year: 2024, Turnover: n(1), NetResult: n(5), Employees: n(0)},
		}}
	p.Years = p.statementYears()
	charts := p.Charts()
	for i, want := range []string{"100.0 1.0, 18.0 82.0", "18.0 1.0, 18.0 68.0 loss", "100.0 1.0, 100.0 1.0", " ,  "} {
		var bars []string
		for _, bar := range charts[i].Bars {
			text := bar.Top + " " + bar.Height
			if bar.Loss {
				text += " loss"
			}
			bars = append(bars, text)
		}
		if got := strings.Join(bars, ", "); got != want {
			t.Errorf("%s: %q, want %q", charts[i].Name, got, want)
		}
	}

	if zero := charts[2].Zero; zero != "100.0" {
		t.Errorf("nothing but zeros: their line is at %s", zero)
	}
	if charts[1].Newest != "-1.000.000.000.000.000 de lei" || charts[3].Newest != "" {
		t.Errorf("the result is %q, and the equity, which is not stated, %q", charts[1].Newest, charts[3].Newest)
	}
}
