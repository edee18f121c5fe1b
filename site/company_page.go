package site

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// companyPage is the data of a company's page.
type companyPage struct {
	words
	*company.Company
	visit      *visit
	Today      ro.Date
	Verdict    verdict
	Sheets     []company.BalanceSheet // of all years, the newest first
	LateYears  []int                  // the statements of these years are not known yet
	SheetsLate bool                   // the balance sheets did not arrive in time
	SheetsDown bool                   // the register of balance sheets failed
	Years      []statementYear        // from the first statement on, the newest first
	Peers      *company.Peers         // nil if the comparison failed, or there are no sheets
	Refused    bool                   // the visitor requested names of persons but may not read them
}

// fact is a value with its name. If no register provides the value, the page says so.
type fact struct {
	Name, Value string
	Note        string
	Link        string
	Missing     bool // Value says why there is none
	Copied      bool // has a button to copy it
	Full        bool // takes a whole row
	Romanian    bool // in the words of a register
}

// fact returns a fact that the given registers should provide. If there is no value, the fact says whether the
// registers do not have one or could not be queried.
func (p *companyPage) fact(name string, value *string, registers ...string) fact {
	f := fact{Name: p.say(name)}
	switch {
	case value != nil && *value != "":
		f.Value = *value
	case allAsked(p.Company, registers...):
		f.Value, f.Missing = p.say("fact.none"), true
	default:
		f.Value, f.Missing = p.say("fact.unknown"), true
	}

	return f
}

// dayFact is fact for a day.
func (p *companyPage) dayFact(name string, day *ro.Date, registers ...string) fact {
	if day == nil {
		return p.fact(name, nil, registers...)
	}
	return p.fact(name, new(p.dayOf(day)), registers...)
}

// yesFact returns a status as a fact, with a note if the status is known. An unknown status is never shown as no.
func (p *companyPage) yesFact(name string, value *bool, note string) fact {
	if value == nil {
		return fact{Name: p.say(name), Value: p.say("fact.unknown"), Missing: true}
	}

	return fact{Name: p.say(name), Value: p.yesNo(value), Note: note}
}

// HasPast reports whether there may be statuses of other days and a history: both are the tax authority's, which does
// not know every company of the trade register.
func (p *companyPage) HasPast() bool { return standingOf(p.Company, anaf) != silent }

// Number returns the CUI, with the prefix RO if the company is registered for VAT.
func (p *companyPage) Number() string {
	if p.VATPayer != nil && *p.VATPayer {
		return p.VATNumber()
	}
	return p.TaxID.String()
}

// VATNumber is the CUI as a VAT number.
func (p *companyPage) VATNumber() string { return "RO" + p.TaxID.String() }

// Place is the town and the county of the company.
func (p *companyPage) Place() string {
	return joinNonEmpty(", ", deref(p.City), deref(p.County))
}

// Summary describes the page in one sentence, for search engines and previews of shared links.
func (p *companyPage) Summary() string {
	texts := []string{joinNonEmpty(", ", p.Name, "CUI "+p.Number(), p.Place())}
	for _, b := range p.Verdict.Badges {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, ". ") + "."
}

// IsPrivate reports whether the page names persons, which search engines must not list.
func (p *companyPage) IsPrivate() bool { return p.LegalRepresentatives != nil }

// Persons returns the persons who represent the company.
func (p *companyPage) Persons() []company.LegalRepresentative {
	return slices.Concat(p.LegalRepresentatives.Governance, p.LegalRepresentatives.Procedural)
}

// Form returns the data of the form that asks for another day.
func (p *companyPage) Form() statusForm {
	return statusForm{CUI: p.TaxID.String(), Today: p.Today.String()}
}

// Request is the API request of the page.
func (p *companyPage) Request() string {
	return "/v1/companies/" + p.TaxID.String() + "?include=balanceSheets,insolvency"
}

// Identity are the names and numbers of the company.
func (p *companyPage) Identity() []fact {
	number := fact{Name: p.say("company.cui"), Value: p.Number(), Copied: true}
	trade := p.fact("company.tradeNumber", p.TradeNumber, anaf, onrc)
	trade.Copied = !trade.Missing
	if p.TradeNumberNew != nil && deref(p.TradeNumber) != *p.TradeNumberNew {
		trade.Note = p.say("company.tradeNumberNew", "number", *p.TradeNumberNew)
	}

	euid := p.fact("company.euid", p.EUID, onrc)
	euid.Copied = !euid.Missing

	facts := []fact{number, trade, euid, p.dayFact("company.registered", p.RegistrationDate, anaf, onrc)}
	form := p.fact("company.legalForm", p.LegalForm, anaf, onrc)
	if form.Missing && p.CompanyType != nil {
		form = p.fact("company.legalForm", p.CompanyType)
	}

	facts = append(facts, markWording(form))
	if p.OwnershipForm != nil {
		facts = append(facts, markWording(p.fact("company.ownership", p.OwnershipForm)))
	}
	if p.Phone != nil {
		facts = append(facts, p.fact("company.phone", p.Phone))
	}
	if p.Website != nil {
		facts = append(facts, p.fact("company.website", p.Website))
	}

	return facts
}

// Taxes are the statuses at the tax authority.
func (p *companyPage) Taxes() []fact {
	var eInvoice, inactive *bool
	var eInvoiceSince *ro.Date
	if p.EInvoice != nil {
		eInvoice, eInvoiceSince = &p.EInvoice.Registered, p.EInvoice.Since
	}
	if p.Inactive != nil {
		inactive = &p.Inactive.Status
	}

	return []fact{
		p.yesFact("onday.vatPayer", p.VATPayer, p.spanOf(p.VATSince, nil)),
		p.yesFact("onday.vatOnCollection", p.VATOnCollection, ""),
		p.yesFact("onday.eInvoice", eInvoice, p.spanOf(eInvoiceSince, nil)),
		p.yesFact("onday.inactive", inactive, ""),
		markWording(p.fact("company.taxStatus", p.RegistrationStatus, anaf)),
		markWording(p.fact("company.fiscalAuthority", p.FiscalAuthority, anaf)),
	}
}

// Inactivity returns the dates in the register of inactive taxpayers. It returns nothing if the register does not list
// the company.
func (p *companyPage) Inactivity() (facts []fact) {
	if p.Inactive == nil {
		return nil
	}

	for _, event := range []struct {
		name string
		day  *ro.Date
	}{
		{"company.declaredInactive", p.Inactive.Since}, {"company.inactivePublished", p.Inactive.Published},
		{"company.reactivated", p.Inactive.Reactivated}, {"company.struckOff", p.Inactive.StruckOff},
	} {
		if event.day != nil {
			facts = append(facts, p.dayFact(event.name, event.day))
		}
	}

	return facts
}

// Addresses returns the registered office and the fiscal domicile, as one fact if they are the same, and the end of the
// right to use the office.
func (p *companyPage) Addresses() []fact {
	seat := withoutGaps(addressLine(p.Seat))
	domicile := withoutGaps(cmp.Or(addressLine(p.FiscalDomicile), deref(p.Company.Address)))
	full := func(f fact) fact {
		f.Full, f.Copied, f.Romanian = true, !f.Missing, !f.Missing
		return f
	}

	facts := []fact{full(p.fact("onday.seat", &seat, anaf, onrc)),
		full(p.fact("onday.fiscalDomicile", &domicile, anaf))}
	if seat == domicile || seat == "" {
		facts = []fact{full(p.fact("company.seatAndDomicile", &domicile, anaf, onrc))}
	}
	if p.SeatExpired != nil && *p.SeatExpired {
		facts = append(facts, fact{Name: p.say("company.seatRight"), Value: p.say("company.seatExpired"), Full: true})
	}

	return facts
}

// Activities returns the main activity, with its name if the code is one of CAEN Rev.3. A code that Rev.3 dropped links
// to the codes that replace it. The classification is part of the program and does not change between views, so a
// rendered page may call it.
func (p *companyPage) Activities() []fact {
	f := p.fact("company.caen", p.MainNACECode, anaf, onrc)
	f.Full = true
	if p.MainNACECode == nil {
		return []fact{f}
	}

	link := "/caen/" + *p.MainNACECode
	a, err := ask[reference.ActivityDetail](p.visit, "get_caen_code", "code", *p.MainNACECode)
	switch revision := deref(p.MainNACERevision); {
	case isProblem(err, problem.CAENCodeReplaced):
		var codes []string
		for _, successor := range successorsIn(err) {
			codes = append(codes, successor.Code)
		}
		f.Link, f.Note = link, p.say("company.caenDropped", "codes", strings.Join(codes, ", "))
	case err != nil:
	case revision == 3:
		f.Value, f.Link = *p.MainNACECode+" · "+p.activityName(a.Name, cmp.Or(a.NameEn, a.Name)), link
	case revision == 2:
		f.Note = p.say("company.caenOfRev2")
	default:
		f.Note = p.say("company.caenUnclear")
	}

	return []fact{f}
}

// Proceedings returns whether the company is insolvent or is being dissolved or liquidated.
func (p *companyPage) Proceedings() []fact {
	i := p.Insolvency
	if i == nil {
		return nil
	}

	label := [languages]string{i.Label.English, i.Label.Romanian}[p.lang]
	state := fact{Name: p.say("registers.insolvency"), Value: capitalize(label),
		Missing: i.State == company.UnknownProceedings, Full: true}
	notes := []string{p.sayDay("registers.since", "day", i.Since)}
	for _, code := range i.Codes {
		notes = append(notes, strings.TrimSpace(code.Code+" "+code.Name))
	}

	state.Note = joinNonEmpty(" · ", append(notes, p.sayDay("source.asOf", "date", i.DataThrough))...)
	return []fact{state}
}

// Origins are the registers that the page's data comes from.
func (p *companyPage) Origins() []origin { return p.origins(p.Sources, anaf, onrc) }

// markWording marks a fact as a register's own wording, which is in Romanian.
func markWording(f fact) fact {
	f.Romanian = !f.Missing
	return f
}
