package verdict

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

var (
	today   = ro.NewDate(2026, 11, 3)
	release = ro.NewDate(2026, 10, 20)
)

// change is a change of the facts, and changes several of them.
type (
	change  = func(*Facts)
	changes []change
)

// supplier returns the facts about a company in which all rules pass or do not apply, on a day and today's knowledge.
func supplier(day ro.Date, changes ...change) *Facts {
	no, yes := company.StatusOnDay{Value: new(false)}, company.StatusOnDay{Value: new(true)}
	f := &Facts{
		Day: day, KnownAt: day, Today: today,
		Tax: Register{HasAnswered: true, IsListing: true, AsOf: today}, Trade: Register{true, true, release},
		Company: &company.Company{TaxID: 9900000010, Name: "EXEMPLU UNU SRL", TradeNumber: new("J12/345/2010"),
			RegistrationDate: new(ro.NewDate(2010, 2, 1)), StateRegistration: company.InOperation,
			TaxState: company.InOperation, SeatExpired: new(false), County: new("CLUJ"), City: new("Cluj-Napoca"),
			Inactive: &company.Inactive{}},
		Insolvency: company.NewInsolvency(company.NoProceedings), Filings: filings(2025),
	}
	f.Then = &company.StatusesOnDay{VATPayer: yes, VATOnCollection: no, VATSplit: no, Inactive: no, EInvoice: yes}
	f.Now = f.Then
	for _, change := range changes {
		change(f)
	}

	return f
}

// filings is what the ministry's files of 2025 say about a company that filed in some years.
func filings(years ...int) *company.Filings {
	f, asOf := &company.Filings{Year: 2025, Years: years}, ro.NewDate(2026, 6, 18)
	for _, form := range []company.SheetForm{company.SmallForm, company.LargeForm} {
		f.Files = append(f.Files, company.StatementFile{Form: form, Coverage: company.FileLoaded, AsOf: asOf})
	}
	if slices.Contains(years, f.Year) {
		f.Sheet = &company.BalanceSheet{Year: f.Year, Form: company.SmallForm, AsOf: asOf}
	}

	return f
}

// without removes a register's answer.
func withoutTax(f *Facts) {
	f.Tax, f.Then, f.Now = Register{}, nil, nil
	if f.Company == nil {
		return
	}
	if f.Company.TaxState, f.Company.TaxStateSince = "", nil; !f.Trade.IsListing {
		f.Company, f.Insolvency = nil, nil
		return
	}

	f.Company.Inactive = nil
}

func withoutTrade(f *Facts) {
	f.Trade = Register{}
	if f.Company == nil {
		return
	}
	if !f.Tax.IsListing {
		f.Company, f.Insolvency = nil, nil
		return
	}

	f.Company.SeatExpired, f.Company.StateRegistration = nil, f.Company.TaxState
	f.Insolvency = company.NewInsolvency(company.UnknownProceedings)
}

func status(set func(*company.StatusesOnDay) *company.StatusOnDay, value *bool) change {
	return func(f *Facts) {
		then := *f.Then
		f.Then = &then
		set(f.Then).Value = value
	}
}

func inactivity(s *company.StatusesOnDay) *company.StatusOnDay    { return &s.Inactive }
func onCollections(s *company.StatusesOnDay) *company.StatusOnDay { return &s.VATOnCollection }
func split(s *company.StatusesOnDay) *company.StatusOnDay         { return &s.VATSplit }
func eInvoice(s *company.StatusesOnDay) *company.StatusOnDay      { return &s.EInvoice }

// state sets the state in both registers.
func state(tax, trade company.StateRegistration) change {
	return func(f *Facts) {
		f.Company.TaxState, f.Company.StateRegistration = tax, trade
		proceedings := company.InsolvencyState(trade)
		if trade == company.InOperation || trade == company.Suspended {
			proceedings = company.NoProceedings
		}

		f.Insolvency = company.NewInsolvency(proceedings)
	}
}

func struckOffOn(day ro.Date) change {
	return func(f *Facts) {
		state(company.StruckOff, company.StruckOff)(f)
		f.Company.Inactive.StruckOff = &day
	}
}

// since adds the day in the tax authority's text on the state.
func since(day ro.Date) change { return func(f *Facts) { f.Company.TaxStateSince = &day } }

func sent(invoice Invoice) change { return func(f *Facts) { f.Invoice = invoice } }

func lei(text string) (a Amount) { return *testkit.Must(&a, a.UnmarshalText([]byte(text))) }

func iban(text string) (i ro.IBAN) { return *testkit.Must(&i, i.UnmarshalText([]byte(text))) }

func TestRules(t *testing.T) {
	yearAgo, winter := ro.NewDate(2025, 11, 3), ro.NewDate(2019, 1, 15)
	cash := func(amount string) change { return sent(Invoice{Payment: Cash, Amount: lei(amount)}) }
	named := func(name Name) change { return sent(Invoice{Name: name}) }
	at := func(address Address) change { return sent(Invoice{Address: address}) }
	to := func(text string) change { return sent(Invoice{IBAN: iban(text)}) }
	in := func(county, city string) change {
		return func(f *Facts) { f.Company.County, f.Company.City = &county, &city }
	}
	aged := func(days ro.Date) change { return func(f *Facts) { f.Trade.AsOf = today - days } }
	seat := func(expired *bool) change { return func(f *Facts) { f.Company.SeatExpired = expired } }
	cancelledVAT := func(f *Facts) {
		status(vatPayer, new(false))(f)
		f.Then.VATPayer.To = new(ro.NewDate(2026, 5, 1))
	}
	registered := func(day ro.Date) change { return func(f *Facts) { f.Company.RegistrationDate = &day } }
	charged := func(yes ro.YesNo) change { return func(f *Facts) { f.Invoice.VATCharged = yes } }
	unlisted := func(f *Facts) { f.Tax.IsListing, f.Then, f.Now = false, nil, nil }
	nowhere := func(f *Facts) { unlisted(f); f.Trade.IsListing, f.Company, f.Insolvency = false, nil, nil }
	formerly := func(name string) change { return func(f *Facts) { f.Past.Name = name } }
	observed := func(s company.StateRegistration) change { return func(f *Facts) { f.Past.State = s } }
	filed := func(years ...int) change { return func(f *Facts) { f.Filings = filings(years...) } }
	atTaxAuthority := func(f *Facts) {
		f.Filings = filings(2024)
		f.Filings.Sheet = &company.BalanceSheet{Year: 2025, Form: company.BilantForm, AsOf: today}
	}
	knownIn := func(day ro.Date) change { return func(f *Facts) { f.KnownAt = day } }
	knownToday := func(f *Facts) { f.KnownAt = today }
	untraded := func(f *Facts) {
		withoutTrade(f)
		f.Trade = Register{HasAnswered: true, AsOf: release}
	}

	// Each case is: id, day, changes, and result, reason and level, the last two if they differ from the rule's.
	for _, c := range []struct {
		id      RuleID
		day     ro.Date
		changes changes
		want    string
	}{
		{"exists", today, nil, "pass"},
		{"exists", today, changes{unlisted}, "pass"},
		{"exists", today, changes{nowhere}, "fail no_company"},
		{"exists", today, changes{nowhere, withoutTax}, "unknown not_asked"},
		{"exists", today, changes{nowhere, withoutTrade}, "unknown not_asked"},

		{"existed_on_date", today, nil, "pass"},
		{"existed_on_date", ro.NewDate(2010, 1, 31), nil, "fail registered_later"},
		{"existed_on_date", today - 1, changes{struckOffOn(today)}, "pass"},
		{"existed_on_date", today, changes{struckOffOn(today)}, "fail struck_off"},
		{"existed_on_date", today, changes{state("", company.StruckOff)}, "fail struck_off"},
		{"existed_on_date", release - 1, changes{state("", company.StruckOff)}, "unknown no_date"},
		{"existed_on_date", release + 1, changes{state(company.StruckOff, company.InOperation)}, "unknown no_date"},
		{"existed_on_date", today, changes{state(company.StruckOff, company.InOperation)}, "fail struck_off"},
		{"existed_on_date", release + 1, changes{state(company.StruckOff, company.InOperation), since(release + 2)},
			"pass"},
		{"existed_on_date", release + 2, changes{state(company.StruckOff, company.InOperation), since(release + 2)},
			"fail struck_off"},
		{"existed_on_date", yearAgo, changes{state(company.StruckOff, ""), untraded,
			func(f *Facts) { f.Tax.AsOf = yearAgo }}, "unknown no_date"},
		{"existed_on_date", today, changes{state("", company.StruckOff), knownIn(yearAgo)}, "unknown no_date"},
		{"in_operation", today, changes{knownIn(yearAgo)}, "unknown state_is_todays"},
		{"in_operation", today, changes{state(company.Suspended, ""), since(release), knownIn(yearAgo)},
			"unknown state_is_todays"},
		{"not_insolvent", today, changes{state("", company.Insolvent), knownIn(yearAgo)}, "unknown insolvent_today"},
		{"seat_valid", today, changes{seat(new(true)), knownIn(yearAgo)}, "unknown seat_expired_today"},
		{"existed_on_date", today, changes{withoutTax}, "unknown not_asked"},
		{"existed_on_date", today, changes{withoutTrade}, "unknown not_asked"},
		{"existed_on_date", today, changes{nowhere}, "not_applicable no_company"},
		{"existed_on_date", today, changes{nowhere, withoutTrade}, "unknown not_asked"},
		{"not_inactive", today, changes{nowhere}, "not_applicable no_company"},
		{"not_inactive", today, changes{nowhere, withoutTax}, "unknown not_asked"},
		{"in_operation", today, changes{nowhere, withoutTrade}, "unknown not_asked"},

		{"not_inactive", today, nil, "pass"},
		{"not_inactive", today, changes{status(inactivity, new(true))}, "fail inactive"},
		{"not_inactive", today, changes{status(inactivity, nil)}, "unknown period_not_reported"},
		{"not_inactive", ro.NewDate(2010, 1, 31), changes{status(inactivity, nil)},
			"not_applicable registered_later"},
		{"not_inactive", today, changes{withoutTax}, "unknown not_asked"},
		{"not_inactive", today, changes{unlisted}, "unknown not_in_register"},

		{"vat_registered", today, nil, "pass"},
		{"vat_registered", today, changes{charged(ro.Yes)}, "pass stop"},
		{"vat_registered", today, changes{charged(ro.No)}, "not_applicable no_vat_charged"},
		{"vat_registered", today, changes{status(vatPayer, new(false))}, "fail not_registered"},
		{"vat_registered", today, changes{cancelledVAT}, "fail cancelled attention"},
		{"vat_registered", today, changes{cancelledVAT, charged(ro.Yes)}, "fail cancelled stop"},
		{"vat_registered", today, changes{cancelledVAT, charged(ro.No)}, "not_applicable no_vat_charged"},
		{"vat_registered", today, changes{withoutTax, charged(ro.Yes)}, "unknown not_asked stop"},

		{"vat_deductible_at_once", today, nil, "pass"},
		{"vat_deductible_at_once", today, changes{status(onCollections, new(true))}, "fail on_collection"},
		{"vat_deductible_at_once", today, changes{status(vatPayer, new(false))}, "not_applicable not_registered"},
		{"vat_deductible_at_once", today, changes{charged(ro.No)}, "not_applicable no_vat_charged"},
		{"vat_deductible_at_once", today, changes{withoutTax}, "unknown not_asked"},

		{"no_split_vat", today, changes{withoutTax}, "not_applicable scheme_ended"},
		{"no_split_vat", winter, changes{status(split, new(true))}, "fail split_vat"},
		{"no_split_vat", winter, nil, "pass"},

		{"in_e_invoice_register", today, changes{status(eInvoice, new(false))}, "not_applicable all_firms"},
		{"in_e_invoice_register", winter, changes{status(eInvoice, new(false))}, "fail not_enrolled"},
		{"in_e_invoice_register", winter, nil, "pass"},

		{"in_operation", today, nil, "pass"},
		{"in_operation", today, changes{state(company.InOperation, company.Suspended)}, "fail suspended"},
		{"in_operation", today, changes{state(company.Dissolved, company.InOperation)}, "fail dissolved"},
		{"in_operation", today, changes{state(company.InOperation, company.Bankrupt)},
			"not_applicable in_proceedings"},
		{"in_operation", today, changes{state(company.Dissolved, company.InOperation), since(today)}, "fail dissolved"},
		{"in_operation", today - 1, changes{state(company.Dissolved, company.InOperation), since(today)}, "pass"},
		{"in_operation", today - 1, changes{state(company.Dissolved, company.Dissolved), since(today)},
			"unknown state_is_todays"},
		{"in_operation", yearAgo, changes{state(company.Suspended, company.Suspended), since(yearAgo)},
			"fail suspended"},
		{"in_operation", today - 1, changes{state(company.StruckOff, company.StruckOff), since(today)},
			"unknown state_is_todays"},
		{"in_operation", release, changes{registered(release + 1)}, "not_applicable registered_later"},
		{"not_insolvent", release, changes{registered(release + 1)}, "not_applicable registered_later"},
		{"seat_valid", release, changes{registered(release + 1)}, "not_applicable registered_later"},
		{"in_operation", yearAgo, changes{state(company.Suspended, company.Suspended)}, "unknown suspended_today"},
		{"in_operation", yearAgo, changes{state(company.Suspended, company.Suspended),
			observed(company.InOperation)}, "pass"},
		{"in_operation", yearAgo, changes{observed(company.Suspended)}, "fail suspended"},
		{"in_operation", release - 31, nil, "pass"},
		{"in_operation", release - 32, nil, "unknown state_is_todays"},
		{"in_operation", today, changes{aged(69)}, "pass"},
		{"in_operation", today, changes{aged(70)}, "pass"},
		{"in_operation", today, changes{aged(71)}, "unknown too_old"},
		{"in_operation", yearAgo, changes{aged(71)}, "unknown state_is_todays"},
		{"in_operation", today, changes{withoutTax}, "unknown not_asked"},
		{"in_operation", today, changes{withoutTrade}, "unknown not_asked"},
		{"in_operation", today, changes{untraded}, "pass"},

		{"not_insolvent", today, nil, "pass"},
		{"not_insolvent", today, changes{state(company.InOperation, company.Insolvent)}, "fail insolvent"},
		{"not_insolvent", today, changes{state(company.InOperation, company.InReorganization)},
			"fail in_reorganization"},
		{"not_insolvent", today, changes{state(company.Dissolved, company.Dissolved)}, "pass"},
		{"not_insolvent", today, changes{struckOffOn(today)}, "not_applicable struck_off"},
		{"not_insolvent", yearAgo, changes{state("", company.Bankrupt)}, "unknown bankrupt_today"},
		{"not_insolvent", yearAgo, changes{observed(company.InOperation)}, "unknown state_is_todays"},
		{"not_insolvent", today, changes{aged(71)}, "unknown too_old"},
		{"not_insolvent", today, changes{untraded}, "unknown not_in_register"},
		{"not_insolvent", today, changes{withoutTrade}, "unknown not_asked"},

		{"seat_valid", today, nil, "pass"},
		{"seat_valid", today, changes{seat(new(true))}, "fail seat_expired"},
		{"seat_valid", yearAgo, changes{seat(new(true))}, "unknown seat_expired_today"},
		{"seat_valid", yearAgo, changes{seat(new(false))}, "unknown state_is_todays"},
		{"seat_valid", today, changes{struckOffOn(today)}, "not_applicable struck_off"},
		{"seat_valid", today, changes{withoutTrade}, "unknown not_asked"},
		{"seat_valid", today, changes{func(f *Facts) { f.Company.TradeNumber = new("F12/345/2010") }},
			"not_applicable natural_person"},

		{"statements", today, nil, "pass"},
		{"statements", today, changes{filed(2024)}, "unknown not_in_published_files"},
		{"statements", today, changes{filed()}, "unknown never_filed"},
		{"statements", today, changes{filed(2024), state(company.InOperation, company.Bankrupt)},
			"unknown in_proceedings"},
		{"statements", today, changes{filed(), registered(ro.NewDate(2026, 2, 1))}, "not_applicable registered_later"},
		{"statements", today, changes{filed(), struckOffOn(ro.NewDate(2026, 2, 1))},
			"not_applicable struck_off_before"},
		{"statements", today, changes{filed(), func(f *Facts) { f.Company.TradeNumber = new("F12/345/2010") }},
			"not_applicable natural_person"},
		{"statements", today, changes{func(f *Facts) { f.Filings = nil }}, "unknown not_asked"},
		{"statements", today, changes{nowhere}, "not_applicable no_company"},
		{"statements", ro.NewDate(2026, 6, 18), nil, "pass"},
		{"statements", ro.NewDate(2026, 6, 17), nil, "unknown published_later"},
		{"statements", ro.NewDate(2026, 6, 17), changes{filed(2024)}, "unknown published_later"},
		{"statements", ro.NewDate(2026, 6, 17), changes{knownToday}, "pass"},
		{"statements", today - 1, changes{atTaxAuthority}, "unknown published_later"},
		{"statements", today, changes{atTaxAuthority}, "pass"},

		{"cash_within_ceiling", today, nil, "not_applicable not_given"},
		{"cash_within_ceiling", today, changes{cash("5000.00")}, "pass"},
		{"cash_within_ceiling", today, changes{cash("5000.01")}, "fail above_ceiling"},
		{"cash_within_ceiling", ro.NewDate(2015, 5, 8), changes{cash("5000.01")}, "unknown no_ceiling"},
		{"cash_within_ceiling", today, changes{sent(Invoice{Payment: Cash})}, "unknown no_amount"},
		{"cash_within_ceiling", today, changes{sent(Invoice{Payment: Bank, Amount: lei("9000")})},
			"not_applicable not_cash"},

		{"name_matches", today, nil, "not_applicable not_given"},
		{"name_matches", today, changes{named("S.C. Unu Exemplu S.R.L.")}, "pass"},
		{"name_matches", today, changes{named("Exemplu")}, "unknown similar"},
		{"name_matches", today, changes{named("Exemplu Doi Trei")}, "unknown similar"},
		{"name_matches", today, changes{named("Altceva SRL")}, "fail other_name"},
		{"name_matches", today, changes{named("Fosta Denumire"), formerly("FOSTA DENUMIRE SRL")}, "pass"},
		{"name_matches", today, changes{named("Exemplu Unu"), withoutTax}, "unknown not_asked"},
		{"name_matches", today, changes{named("Exemplu Unu"), withoutTrade}, "pass"},

		{"address_matches", today, nil, "not_applicable not_given"},
		{"address_matches", today, changes{at("Str. Exemplu 1, Cluj Napoca, jud. Cluj")}, "pass"},
		{"address_matches", today, changes{at("Str. Exemplu 1, Dej, Cluj")}, "unknown only_county"},
		{"address_matches", today, changes{at("Str. Cluj-Napoca 1, Bacău")}, "fail other_county"},
		{"address_matches", today, changes{at("Str. Exemplu 1")}, "unknown not_read"},
		{"address_matches", today, changes{at("Str. Cluj-Napoca 1, Dej, Cluj")}, "unknown only_county"},
		{"address_matches", today, changes{at("400001 Cluj-Napoca; jud. Cluj")}, "pass"},
		{"address_matches", today, changes{at("JUD. CLUJ, SAT EXEMPLU COM. ALTA"), in("CLUJ", "Exemplu")}, "pass"},
		{"address_matches", today, changes{at("Str. Exemplu 1, Pașcani, Iași"), in("IAȘI", "Iași")},
			"unknown only_county"},
		{"address_matches", today, changes{at("JUD. IAȘI, MUN. IAȘI, STR. EXEMPLU"), in("IAȘI", "Iași")}, "pass"},
		{"address_matches", today, changes{at("Str. Exemplu 1, 1 Decembrie, Ilfov"), in("ILFOV", "1 Decembrie")},
			"pass"},
		{"address_matches", today, changes{at("Str. Exemplu 1, Iași"), in("IAȘI", "")}, "unknown only_county"},
		{"address_matches", today, changes{at("Str. Exemplu 1, București"), in("BUCUREȘTI", "București")}, "pass"},
		{"address_matches", today, changes{at("Str. Exemplu 1; București Sectorul 3"), in("BUCUREȘTI", "Sector 3")},
			"pass"},
		{"address_matches", today, changes{at("Str. Exemplu 1, sector 3, București"), in("BUCUREȘTI", "Sector 3")},
			"pass"},
		{"address_matches", today, changes{at("Str. Exemplu 1, sect. 2, București"), in("BUCUREȘTI", "Sector 3")},
			"unknown only_county"},
		{"address_matches", today, changes{at("Cluj-Napoca, CJ")}, "pass"},
		{"address_matches", today, changes{at("Cluj-Napoca, CJ,")}, "pass"},
		{"address_matches", today, changes{at("Cluj-Napoca, jud. CJ, România")}, "pass"},
		{"address_matches", today, changes{at("Bl. 4, Sc. 2, B, Cluj-Napoca")}, "unknown not_read"},
		{"address_matches", today, changes{at("Bl. 4, IF, Cluj-Napoca")}, "unknown not_read"},
		{"address_matches", today, changes{at("Bl. 4, S 3, Cluj-Napoca")}, "unknown not_read"},
		{"address_matches", today, changes{at("Str. Exemplu 1, B, Cluj-Napoca, Cluj")}, "pass"},
		{"address_matches", today, changes{at("Str. Exemplu 1, IS, Pașcani, Iași"), in("IAȘI", "Iași")},
			"unknown only_county"},
		{"address_matches", today, changes{at("Str. Exemplu 1, B")}, "fail other_county"},
		{"address_matches", today, changes{at("Str. Exemplu 1, S3, București"), in("BUCUREȘTI", "Sector 3")}, "pass"},
		{"address_matches", today, changes{at("Cluj-Napoca, Cluj"), withoutTax}, "unknown not_asked"},

		{"iban_valid", today, nil, "not_applicable not_given"},
		{"iban_valid", today, changes{to("RO49 AAAA 1B31 0075 9384 0000")}, "pass"},
		{"iban_valid", today, changes{to("RO48AAAA1B31007593840000")}, "fail wrong_check_digits"},
		{"iban_valid", today, changes{to("RO02AAAA1B31007593840070")}, "pass"},
		{"iban_valid", today, changes{to("RO99AAAA1B31007593840070")}, "fail wrong_check_digits"},
		{"iban_valid", today, changes{to("RO49AAAA1B3100759384000")}, "fail wrong_length"},
		{"iban_valid", today, changes{to("DE75512108001245126199")}, "fail foreign_account"},
		{"iban_valid", today, changes{to("DE76512108001245126199")}, "fail wrong_check_digits"},
	} {
		facts := supplier(c.day, c.changes...)
		_, findings := Judge(facts)
		for _, found := range findings {
			if found.ID != c.id {
				continue
			}

			got := string(found.Result)
			if found.Reason != nil {
				got += " " + string(*found.Reason)
			}
			if own := ruleOf(found.ID).Level; found.Level != own {
				got += " " + string(found.Level)
			}
			if got != c.want {
				t.Errorf("%s on %s: %s, want %s", c.id, c.day, got, c.want)
			}
		}
	}
}

func ruleOf(id RuleID) *Rule {
	for i := range rules {
		if rules[i].ID == id {
			return &rules[i]
		}
	}

	panic(id)
}

// A verdict always has all rules, in the order of the documentation, even if nothing is known. Every result except a
// pass has a reason with words.
func TestAllRulesAreListed(t *testing.T) {
	want := strings.Fields("exists existed_on_date not_inactive vat_registered vat_deductible_at_once no_split_vat " +
		"in_e_invoice_register in_operation not_insolvent seat_valid statements cash_within_ceiling name_matches " +
		"address_matches iban_valid")
	for name, f := range map[string]*Facts{"nothing": {Day: today, Today: today}, "a supplier": supplier(today)} {
		_, findings := Judge(f)
		if len(findings) != len(want) {
			t.Fatalf("%s: %d rules", name, len(findings))
		}

		for i, found := range findings {
			isExplained := found.Reason != nil && found.Explanation != nil && found.Explanation.Romanian != ""
			if string(found.ID) != want[i] || isExplained == (found.Result == Pass) || found.Law == nil {
				t.Errorf("%s: %+v, want the rule %s", name, found, want[i])
			}
		}
	}

	for i := range rules {
		if v := rules[i].FirstVersion; v == "" || v > RulesVersion {
			t.Errorf("%s is of version %q, after %s", rules[i].ID, v, RulesVersion)
		}
	}
}

func TestOutcomes(t *testing.T) {
	for want, changes := range map[company.VerdictOutcome]changes{
		company.OutcomeClear:      {},
		company.OutcomeAttention:  {state(company.Suspended, company.Suspended)},
		company.OutcomeIncomplete: {withoutTax, state("", company.Suspended)},
		company.OutcomeStop:       {struckOffOn(today - 5), withoutTrade},
	} {
		if got, _ := Judge(supplier(today, changes...)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A register that does not answer never turns a rule that fails or is unknown into one that passes.
func TestSilenceNeverPasses(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 12))
	states := []company.StateRegistration{company.InOperation, company.Suspended, company.Dissolved,
		company.InLiquidation, company.InReorganization, company.Insolvent, company.Bankrupt, company.StruckOff,
		company.UnknownState}
	one := func(all []company.StateRegistration) company.StateRegistration { return all[r.IntN(len(all))] }
	maybe := func() *bool { return []*bool{nil, new(true), new(false)}[r.IntN(3)] }
	draw := func(seed uint64) *Facts {
		r = rand.New(rand.NewPCG(seed, 12))
		day := today - ro.Date(r.IntN(400))
		f := supplier(day, state(one(states), one(states)))
		f.KnownAt = today - ro.Date(r.IntN(400))
		f.Trade.AsOf = today - ro.Date(r.IntN(90))
		f.Company.SeatExpired, f.Company.RegistrationDate = maybe(), new(today-ro.Date(r.IntN(600)))
		if r.IntN(3) == 0 {
			f.Company.Inactive.StruckOff = new(today - ro.Date(r.IntN(400)))
		}
		if f.Company.TaxState != "" && r.IntN(3) == 0 {
			f.Company.TaxStateSince = new(today - ro.Date(r.IntN(400)))
		}
		if r.IntN(4) == 0 {
			f.Past = company.Past{State: one(states), Name: "FOSTA DENUMIRE SRL"}
		}

		f.Then = &company.StatusesOnDay{}
		for _, status := range f.Then.All() {
			status.Value = maybe()
		}

		f.Invoice = Invoice{VATCharged: []ro.YesNo{"", ro.Yes, ro.No}[r.IntN(3)],
			Name:    []Name{"", "Exemplu Unu", "Fosta Denumire", "Altceva"}[r.IntN(4)],
			Address: []Address{"", "Cluj-Napoca, Cluj", "Bacău"}[r.IntN(3)]}
		if r.IntN(5) == 0 {
			f.Trade.IsListing = false
			f.Company.SeatExpired, f.Company.StateRegistration = nil, f.Company.TaxState
			f.Insolvency = company.NewInsolvency(company.UnknownProceedings)
		}

		return f
	}

	for seed := range uint64(20_000) {
		_, all := Judge(draw(seed))
		for name, without := range map[string]change{"the tax authority": withoutTax,
			"the trade register": withoutTrade} {
			fewer := draw(seed)
			without(fewer)
			_, found := Judge(fewer)
			for i := range found {
				if found[i].Result == Pass && (all[i].Result == Fail || all[i].Result == Unknown) {
					t.Fatalf("seed %d: without %s, %s passes; with it: %s", seed, name, found[i].ID, all[i].Result)
				}
			}
		}
	}
}

// The hash in receipts is that of the salt and the JSON text in docs/verdict.md, and the certified content has no salt.
func TestParametersHash(t *testing.T) {
	sent := Invoice{Amount: lei("4900.00"), Payment: Cash, VATCharged: ro.Yes,
		IBAN: iban("ro49 aaaa-1b31.0075 9384 0000")}
	text := `{"amount":4900,"payment":"cash","vatCharged":"true","iban":"RO49AAAA1B31007593840000"}`
	v := new(Verdict)
	v.addParameters(sent.parameters(), "5a17")
	if got, want := *v.ParametersSHA256, fmt.Sprintf("%x", sha256.Sum256([]byte("5a17"+text))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if certified := string(jsontext.MustEncode(v.content())); !strings.Contains(certified, *v.ParametersSHA256) ||
		strings.Contains(certified, "5a17") {
		t.Errorf("certified: %s", certified)
	}
	if got := new(Invoice).parameters(); got != nil {
		t.Errorf("nothing is sent as %s", got)
	}
}

// Whatever is known about the statements, their rule does not fail, and each of its reasons has words.
func TestStatementsNeverFail(t *testing.T) {
	coverages := []company.Coverage{company.FileLoaded, company.FileRefused, company.FileNotPublished,
		company.FileNotLoaded}
	found := map[string]bool{}
	for _, state := range []company.StateRegistration{company.InOperation, company.Suspended, company.Insolvent,
		company.StruckOff, company.UnknownState} {
		for _, number := range []*string{nil, new("J12/345/2010"), new("F12/345/2010"), new("C12/345/2010")} {
			for i := range 4 * 4 * 4 {
				f := supplier(today)
				f.Company.StateRegistration, f.Company.TradeNumber = state, number
				f.Filings = filings([][]int{nil, {2024}, {2025, 2024}, {2024, 2020}}[i/16]...)
				f.Filings.Files[0].Coverage, f.Filings.Files[1].Coverage = coverages[i/4%4], coverages[i%4]
				got := ruleOf("statements").apply(f)
				if got.Result == Fail || got.Reason != nil && got.Explanation.English == "" {
					t.Fatalf("%s, %v, %+v: %+v", state, number, f.Filings, got)
				}
				if found[string(got.Result)] = true; got.Reason != nil {
					found[string(*got.Reason)] = true
				}
			}
		}
	}

	for _, want := range strings.Fields("pass unknown not_applicable natural_person other_form in_proceedings no_date " +
		"files_not_published files_not_loaded year_refused never_filed not_in_published_files") {
		if !found[want] {
			t.Errorf("%s is not among %v", want, found)
		}
	}
}

// Pages mark a failed rule as "nu se confirmă". The label of a rule is affirmative, because two negations are misread.
func TestRulesAreAffirmative(t *testing.T) {
	for i := range rules {
		if label := rules[i].Label.Romanian; strings.HasPrefix(label, "Nu ") {
			t.Errorf("%s: %q", rules[i].ID, label)
		}
	}
}

// Every reason has words, and no text judges or predicts.
func TestTextsStateFacts(t *testing.T) {
	texts := []company.Label{}
	for i := range rules {
		texts = append(texts, rules[i].Label, rules[i].Text)
	}
	for _, label := range reasons {
		texts = append(texts, label)
	}

	for _, label := range texts {
		for _, text := range []string{label.Romanian, label.English} {
			for _, word := range []string{"safe", "risk", "fraud", "will be", "sigur", "risc", "fraud", "va fi"} {
				if text == "" || strings.Contains(" "+strings.ToLower(text), " "+word) {
					t.Errorf("%q: a text that is empty or says %q", text, word)
				}
			}
		}
	}
}
