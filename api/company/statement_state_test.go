package company

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
)

// files are the ministry's files of small and large companies, and of those that apply the IFRS.
func files(small, large, ifrs Coverage, asOf ...ro.Date) []StatementFile {
	all := []StatementFile{{Form: LargeForm, Coverage: large}, {Form: IFRSForm, Coverage: ifrs},
		{Form: SmallForm, Coverage: small}}
	for i := range asOf {
		all[i].AsOf = asOf[i]
	}
	return all
}

func TestStatementState(t *testing.T) {
	today, june := ro.NewDate(2026, 11, 29), ro.NewDate(2026, 6, 18)
	loaded := files(FileLoaded, FileLoaded, FileNotPublished, june, 0, june+1)
	before := Filings{Year: 2025, Years: []int{2024, 2023}, Files: loaded}
	with := func(change func(*Filings)) Filings {
		f := before
		change(&f)
		return f
	}
	of := func(small, large, ifrs Coverage) Filings {
		asOf := june
		if small == FileNotPublished {
			asOf = 0
		}
		return with(func(f *Filings) { f.Files = files(small, large, ifrs, asOf) })
	}
	sheet := func(form SheetForm, asOf ro.Date) Filings {
		return with(func(f *Filings) { f.Sheet = &BalanceSheet{Year: 2025, Form: form, AsOf: asOf} })
	}
	never := with(func(f *Filings) { f.Years = nil })
	only2023 := with(func(f *Filings) { f.Years = []int{2023} })
	down := with(func(f *Filings) { f.Unreachable = true })

	company := func(changes ...func(*Company)) *Company {
		c := &Company{TaxID: 9900000010, TradeNumber: new("J12/345/2010"), MainNACECode: new("6210"),
			OrganizationForm: new("PERSOANA JURIDICA"), RegistrationDate: new(ro.NewDate(2010, 2, 1)),
			StateRegistration: InOperation, TaxState: InOperation}
		for _, change := range changes {
			change(c)
		}
		return c
	}
	number := func(text string) func(*Company) { return func(c *Company) { c.TradeNumber = &text } }
	noNumber := func(c *Company) { c.TradeNumber = nil }
	form := func(form string) func(*Company) { return func(c *Company) { c.CompanyType = &form } }
	organised := func(form string) func(*Company) { return func(c *Company) { c.OrganizationForm = &form } }
	activity := func(code string) func(*Company) { return func(c *Company) { c.MainNACECode = &code } }
	registered := func(day ro.Date) func(*Company) { return func(c *Company) { c.RegistrationDate = &day } }
	state := func(s StateRegistration) func(*Company) { return func(c *Company) { c.StateRegistration = s } }
	struckOff := func(day ro.Date) func(*Company) {
		return func(c *Company) { c.Inactive, c.StateRegistration = &Inactive{StruckOff: &day}, StruckOff }
	}

	// In the wanted texts, terms are the days for companies, and others those for other legal persons.
	const terms, others = " due 2026-05-31 to 2026-10-31", " due 2026-04-30 to 2026-09-30"
	const dated, otherYear, later = " files 2026-06-18", " " + string(OtherYearEnds), " " + string(LaterFilings)
	const absent = "not_in_published_files filed_before" + terms + " last 2024" + dated + later + otherYear
	const known = terms + " last 2024" + dated + otherYear
	absentSince2023 := strings.Replace(absent, "2024", "2023", 1)
	for _, c := range []struct {
		name    string
		company *Company
		filings Filings
		day     ro.Date
		want    string
	}{
		{"in the files", company(), sheet(SmallForm, june+1), today,
			"filed in_files" + terms + " last 2025 files 2026-06-19"},
		{"in the files, whatever else is known", company(noNumber, state(Bankrupt)), sheet(LargeForm, june), today,
			"filed in_files" + others + " last 2025" + dated},
		{"only at the tax authority", company(), sheet(BilantForm, today), today,
			"filed at_tax_authority" + terms + " last 2025" + dated},
		{"filed before", company(), before, today, absent},

		{"number of a person", company(number("F12/345/2020")), before, today,
			"not_required natural_person last 2024" + dated},
		{"PFA without a number", company(noNumber, form("PFA")), never, today, "not_required natural_person" + dated},
		{"person by its organisation", company(noNumber, organised("PERSOANA FIZICA")), never, today,
			"not_required natural_person" + dated},
		{"firm of 2026", company(registered(ro.NewDate(2026, 1, 1))), never, today,
			"not_required registered_later" + dated},
		{"firm of the last day of 2025", company(registered(ro.NewDate(2025, 12, 31))), before, today, absent},
		{"firm of an unknown day", company(func(c *Company) { c.RegistrationDate = nil }), before, today, absent},
		{"struck off by the due day", company(struckOff(ro.NewDate(2026, 5, 31))), before, today,
			"not_required struck_off_before last 2024" + dated},
		{"struck off after it", company(struckOff(ro.NewDate(2026, 6, 1))), before, today, absent},
		{"struck off on an unknown day", company(state(StruckOff)), before, today, "unknown no_date" + known},
		{"due today", company(), before, ro.NewDate(2026, 5, 31), "not_required not_due" + known},
		{"the current year", company(), Filings{Year: 2026}, today,
			"not_required not_due due 2027-05-31 to 2027-10-31" + otherYear},
		{"due yesterday, files not published", company(), of(FileNotPublished, FileNotPublished, FileNotPublished),
			ro.NewDate(2026, 6, 1), "unknown files_not_published" + terms + " last 2024" + otherYear},

		{"never filed", company(), never, today, "unknown never_filed" + terms + dated + later + otherYear},
		{"filed later only", company(), Filings{Year: 2014, Years: []int{2024}, Files: loaded}, today,
			"unknown never_filed due 2015-05-31" + dated + later + otherYear},
		{"bank", company(activity("6419")), before, today, "unknown other_form" + known},
		{"insurer", company(activity("6512")), before, today, "unknown other_form" + known},
		{"broker", company(activity("6622")), before, today, "unknown other_form" + known},
		{"association", company(noNumber), never, today, "unknown other_form" + others + dated + otherYear},
		{"bankrupt", company(state(Bankrupt)), before, today,
			"unknown in_proceedings due 2026-05-31 last 2024" + dated + otherYear},
		{"being dissolved", company(state(Dissolved)), before, today,
			"unknown in_proceedings due 2026-05-31 last 2024" + dated + otherYear},
		{"suspended", company(state(Suspended)), before, today, absent},
		{"no file of large companies", company(), of(FileLoaded, FileNotPublished, FileLoaded), today,
			"unknown files_not_published" + known},
		{"small companies not loaded", company(), of(FileNotLoaded, FileLoaded, FileLoaded), today,
			"unknown files_not_loaded" + known},
		{"IFRS not loaded", company(), of(FileLoaded, FileLoaded, FileNotLoaded), today,
			"unknown files_not_loaded" + known},
		{"no files", company(), Filings{Year: 2025}, today, "unknown files_not_loaded" + terms + otherYear},
		{"year refused", company(), of(FileRefused, FileLoaded, FileLoaded), today, "unknown year_refused" + known},
		{"before all files", company(registered(ro.NewDate(2001, 1, 1))), Filings{Year: 2008}, today,
			"unknown files_not_published due 2009-05-31" + otherYear},
		{"bilant down", company(), down, today, "unknown tax_authority_unreachable" + known},
		{"bilant down, a bank", company(activity("6419")), down, today, "unknown other_form" + known},

		{"2023 only, on the last day", company(), only2023, ro.NewDate(2026, 10, 31), absentSince2023},
		{"2023 only, on the Monday after", company(), only2023, ro.NewDate(2026, 11, 2), absentSince2023},
		{"2023 only, on the day after that", company(), only2023, ro.NewDate(2026, 11, 3), absentSince2023},
		{"2024, before the law", company(), Filings{Year: 2024, Years: []int{2023}, Files: loaded}, today,
			strings.Replace(absentSince2023, terms, " due 2025-05-31", 1)},
	} {
		s := c.company.StatementState(&c.filings, c.day)
		var got []string
		add := func(word string, value any, isKnown bool) {
			if isKnown {
				got = append(got, word, fmt.Sprint(value))
			}
		}
		got = append(got, string(s.State), string(s.Reason))
		add("due", s.DueOn, s.DueOn != nil)
		add("to", s.FiveMonthsEndOn, s.FiveMonthsEndOn != nil)
		if s.LastFiled != nil {
			add("last", *s.LastFiled, true)
		}
		add("files", s.FilesAsOf, s.FilesAsOf != nil)
		for _, caveat := range s.Caveats {
			got = append(got, string(caveat))
		}

		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, text, c.want)
		}
		if (s.Law != nil) != (s.FiveMonthsEndOn != nil) || s.TaxID != c.company.TaxID || s.Year != c.filings.Year {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

func TestLastDueYear(t *testing.T) {
	company, association := &Company{TradeNumber: new("J12/345/2010")}, &Company{}
	for _, c := range []struct {
		day  ro.Date
		want []int
	}{
		{ro.NewDate(2026, 1, 1), []int{2024, 2024}}, {ro.NewDate(2026, 4, 30), []int{2024, 2024}},
		{ro.NewDate(2026, 5, 1), []int{2024, 2025}}, {ro.NewDate(2026, 5, 31), []int{2024, 2025}},
		{ro.NewDate(2026, 6, 1), []int{2025, 2025}}, {ro.NewDate(2026, 12, 31), []int{2025, 2025}},
	} {
		if got := []int{company.LastDueYear(c.day), association.LastDueYear(c.day)}; !slices.Equal(got, c.want) {
			t.Errorf("on %s: %v, want %v", c.day, got, c.want)
		}
	}
}
