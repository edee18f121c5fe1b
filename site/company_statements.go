package site

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/company"
)

// figures are the figures of statements that pages show. The first ones have charts.
var figures = []struct {
	name    string
	isMoney bool
	of      func(*company.BalanceSheet) *int64
}{
	{"sheets.turnover", true, func(b *company.BalanceSheet) *int64 { return b.Turnover }},
	{"sheets.net", true, func(b *company.BalanceSheet) *int64 { return b.NetResult }},
	{"sheets.employees", false, func(b *company.BalanceSheet) *int64 { return b.Employees }},
	{"sheets.equity", true, func(b *company.BalanceSheet) *int64 { return b.Equity }},
	{"sheets.debts", true, func(b *company.BalanceSheet) *int64 { return b.Debts }},
}

// charted is the number of figures with charts.
const charted = 4

// statementYear is a year in the life of a company, with its statement or the reason why the page has none.
type statementYear struct {
	Year  int
	sheet *company.BalanceSheet
	Gap   string // the key of the reason; empty if there is a statement
}

// allSheets returns the sheets of a profile and those of all other years in the Ministry of Finance's files, the newest
// first. A profile has only the last five. It leaves out the years that it could not get, and returns them.
func (v *visit) allSheets(ctx context.Context, profile *company.Company) (sheets []company.BalanceSheet,
	missing []int) {
	sheets, missing = slices.Clone(profile.BalanceSheets), missingYears(profile)
	if profile.Filings == nil {
		return sheets, missing
	}

	older := slices.DeleteFunc(slices.Clone(profile.Filings.Years), func(year int) bool {
		return slices.ContainsFunc(sheets, func(b company.BalanceSheet) bool { return b.Year == year })
	})
	if len(older) == 0 {
		return sheets, missing
	}

	more, err := askIn[*company.Company](ctx, v, "get_company", "cui", profile.TaxID.String(),
		"include", "balanceSheets", "years", joinYears(older, ","))
	if err != nil {
		return sheets, append(missing, older...)
	}

	sheets = append(sheets, more.BalanceSheets...)
	for i := range sheets {
		sheets[i].Indicators = nil // most of their size, and on no page
	}

	slices.SortFunc(sheets, func(a, b company.BalanceSheet) int { return b.Year - a.Year })
	return sheets, missing
}

// joinYears returns years as text.
func joinYears(years []int, separator string) string {
	texts := make([]string, len(years))
	for i, year := range years {
		texts[i] = strconv.Itoa(year)
	}
	return strings.Join(texts, separator)
}

// missingYears lists the years for which statements are still being fetched.
func missingYears(c *company.Company) []int {
	if s := sourceOf(c.Sources, "anaf-bilant"); s != nil {
		return slices.Clone(s.Missing)
	}
	return nil
}

// statementYears returns the years from the first known statement to the last one that was due, the newest first.
// There are none if no statement is known.
func (p *companyPage) statementYears() (years []statementYear) {
	if len(p.Sheets) == 0 {
		return nil
	}

	last, f := p.Sheets[0].Year, p.Filings
	if f != nil && p.StatementState(f, p.Today).State != company.StatementNotRequired {
		last = max(last, f.Year)
	}

	known := make(map[int]*company.BalanceSheet, len(p.Sheets))
	for i := range p.Sheets {
		known[p.Sheets[i].Year] = &p.Sheets[i]
	}

	for year := last; year >= p.Sheets[len(p.Sheets)-1].Year; year-- {
		y := statementYear{Year: year, sheet: known[year]}
		if y.sheet == nil {
			y.Gap = p.gap(year)
		}

		years = append(years, y)
	}

	return years
}

// gap returns the key of the reason why there is no statement of a year.
func (p *companyPage) gap(year int) string {
	f := p.Filings
	switch {
	case slices.Contains(p.LateYears, year):
		return "gap.late"
	case f == nil:
		return "gap.files_not_loaded"
	case slices.Contains(f.CompleteYears, year):
		return "gap.absent"
	case year == f.Year:
		return "gap." + string(f.MissingFiles())
	}

	return "gap.files_not_loaded"
}

// Gaps returns the years without a statement, by reason.
func (p *companyPage) Gaps() (lines []string) {
	byReason := make(map[string][]int)
	var reasons []string
	for _, y := range p.Years {
		if y.Gap == "" {
			continue
		}
		if byReason[y.Gap] == nil {
			reasons = append(reasons, y.Gap)
		}

		byReason[y.Gap] = append(byReason[y.Gap], y.Year)
	}

	for _, reason := range reasons {
		lines = append(lines, joinYears(byReason[reason], ", ")+": "+p.say(reason))
	}

	return lines
}

// MissingYears lists the years for which statements are still being fetched.
func (p *companyPage) MissingYears() string { return joinYears(p.LateYears, ", ") }

// SheetHeadings are the columns of the table of statements.
func (p *companyPage) SheetHeadings() (headings []string) {
	for _, figure := range figures {
		headings = append(headings, p.say(figure.name))
	}
	return headings
}

// sheetRow is a row of the table of statements: figures, or the reason why there are none. A figure that is not stated
// is empty.
type sheetRow struct {
	Year    int
	Figures []string
	Gap     string
}

// SheetRows are the rows of the table of statements, the newest first.
func (p *companyPage) SheetRows() (rows []sheetRow) {
	for _, y := range p.Years {
		row := sheetRow{Year: y.Year}
		if y.sheet == nil {
			row.Gap = p.say(y.Gap)
			rows = append(rows, row)
			continue
		}

		for _, figure := range figures {
			row.Figures = append(row.Figures, p.figure(figure.of(y.sheet), false))
		}

		rows = append(rows, row)
	}

	return rows
}

// Origin is the file with the newest statement; nil if there is none.
func (p *companyPage) Origin() *company.StatementOrigin {
	if p.Filings == nil {
		return nil
	}
	return p.Filings.Origin
}

// License says under which licence the newest file of statements is published.
func (p *companyPage) License() string {
	if id := p.Filings.Origin.License; id != nil {
		return p.say("sheets.license", "id", *id)
	}
	return p.say("sheets.noLicense")
}

// describe returns what the page shows beyond the answers: Filings are not in the documents of operations.
func (p *companyPage) describe() string {
	origin := deref(p.Origin())
	return fmt.Sprintln("statements:", p.Gaps(), origin.Package, deref(origin.License), origin.AsOf)
}
