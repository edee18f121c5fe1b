package api

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

// filer is a company with statements for some years in the ministry's files and at the tax authority.
type filer struct {
	oneProfile
	unloaded        bool
	coverage        company.Coverage // of the files of small companies; default loaded
	files           []int
	sheets, missing []int
	requested       []int
}

func (f *filer) Company(ctx context.Context, asked ro.CompanyDay) (op.Answer[*company.Company], error) {
	if asked.CUI != exampleCUI {
		return op.Answer[*company.Company]{}, op.ErrUnknown
	}
	return f.oneProfile.Company(ctx, asked)
}

func (f *filer) Filings(_ context.Context, _ ro.CUI, year int) (*company.Filings, error) {
	if f.unloaded {
		return nil, problem.Unavailable.New("the trade register is being loaded").After(time.Minute)
	}

	known, asOf := &company.Filings{Year: year, Years: f.files}, ro.NewDate(2026, 6, 18)
	for _, form := range []company.SheetForm{company.SmallForm, company.LargeForm} {
		known.Files = append(known.Files, company.StatementFile{Form: form, Coverage: company.FileLoaded, AsOf: asOf})
	}
	known.Files[0].Coverage = cmp.Or(f.coverage, company.FileLoaded)
	for _, filed := range f.files {
		if filed == year {
			known.Sheet = &company.BalanceSheet{Year: year, Form: company.SmallForm, AsOf: asOf}
		}
	}

	return known, nil
}

func (f *filer) BalanceSheets(_ context.Context, _ ro.CUI, y company.Years) (sheets []company.BalanceSheet,
	missing []int, hit bool, err error) {
	f.requested = append(f.requested, y.Named...)
	for _, year := range f.sheets {
		sheets = append(sheets, company.BalanceSheet{Year: year, Form: company.BilantForm, AsOf: ro.Today()})
	}

	return sheets, f.missing, false, nil
}

func TestStatementState(t *testing.T) {
	before := []int{2024, 2023}
	for query, c := range map[string]struct {
		filer filer
		want  string // status, cost and a part of the answer
		asked []int
	}{
		"": {filer{files: []int{2025, 2024}}, `200 1 {"taxId":9900000010,"year":2025,"state":"filed","reason":"in_files",` +
			`"dueOn":"2026-05-31","fiveMonthsEndOn":"2026-10-31","lastFiled":2025,"filesAsOf":"2026-06-18","caveats":[],` +
			`"law":"Law 207/2015 art. 92 (1^2) b)","sources":[{"name":"anaf-bilant","retrievedAt":null,` +
			`"asOf":"2026-06-18","cache":"HIT","stale":false}]}`, nil},
		"?year=2024": {filer{files: before}, `200 1 "year":2024,"state":"filed","reason":"in_files","dueOn":"2025-05-31",` +
			`"fiveMonthsEndOn":null`, nil},
		"?year=2026": {filer{files: before}, `200 1 "state":"not_required","reason":"not_due","dueOn":"2027-05-31"`, nil},
		"?year=2025": {filer{files: before, sheets: []int{2025}},
			`200 1 "state":"filed","reason":"at_tax_authority"`, []int{2025}},
		"?year=2025&": {filer{files: before}, `200 1 "state":"not_in_published_files","reason":"filed_before",` +
			`"dueOn":"2026-05-31","fiveMonthsEndOn":"2026-10-31","lastFiled":2024,"filesAsOf":"2026-06-18","caveats":[` +
			`"later_filings_appear_with_the_reissue","other_financial_year_unknown"]`, []int{2025}},
		"?year=2025&&": {filer{files: before, missing: []int{2025}},
			`200 0 "state":"unknown","reason":"tax_authority_unreachable"`, []int{2025}},
		"?year=2025&&&": {filer{files: before, coverage: company.FileNotLoaded},
			`200 0 "state":"unknown","reason":"files_not_loaded"`, []int{2025}},
		"?year=2025&&&&": {filer{files: before, coverage: company.FileRefused},
			`200 0 "state":"unknown","reason":"year_refused"`, []int{2025}},
		"?year=2025&&&&&": {filer{files: before, coverage: company.FileNotPublished},
			`200 1 "state":"unknown","reason":"files_not_published"`, []int{2025}},
		"?year=2025&&&&&&": {filer{files: before, coverage: company.FileNotLoaded, sheets: []int{2025}},
			`200 1 "state":"filed","reason":"at_tax_authority"`, []int{2025}},
		"?year=2025&&&&&&&": {filer{}, `200 1 "state":"unknown","reason":"never_filed"`, []int{2025}},
		"?":                 {filer{sheets: []int{2025}}, `200 1 "reason":"at_tax_authority"`, []int{2025}},
		"?&":                {filer{unloaded: true}, "503 0 the trade register is being loaded", nil},
		"?year=2008":        {filer{}, "400 0 a year from 2009 to 2026", nil},
		"?year=2027":        {filer{}, "400 0 a year from 2009 to 2026", nil},
		"?year=25":          {filer{}, "400 0 a year from 2009 to 2026", nil},
		"unknown":           {filer{}, "404 0 no register knows a company with the CUI", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			<-time.After(time.Until(time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)))
			c.filer.profile = &company.Company{TaxID: exampleCUI, TradeNumber: new("J12/345/2010"),
				StateRegistration: company.InOperation}
			path := "/v1/companies/9900000010/statements" + query
			if query == "unknown" {
				path = "/v1/companies/9900000029/statements"
			}

			reply := gateway.Ask(t, gateway.New(t), []*op.Operation{company.GetStatementState(&c.filer)},
				&op.Call{Authorization: "Bearer " + gateway.GoodKey}, path)
			text := ""
			if reply.Problem != nil {
				text = reply.Problem.Detail
			} else {
				text = string(reply.Document.JSON)
			}

			got := fmt.Sprint(reply.Status, " ", reply.Cost, " ", text)
			prefix, part := c.want[:6], c.want[6:]
			if !strings.HasPrefix(got, prefix) || !strings.Contains(got, part) ||
				fmt.Sprint(c.filer.requested) != fmt.Sprint(c.asked) {
				t.Errorf("%s: %s, requested %v; want %s", query, got, c.filer.requested, c.want)
			}
			if miss := strings.Contains(text, `"cache":"MISS"`); miss != (c.asked != nil) || miss != (reply.Cache == op.Miss) {
				t.Errorf("%s: cache %s: %s", query, reply.Cache, text)
			}
		})
	}
}
