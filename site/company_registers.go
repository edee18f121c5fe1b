package site

import "github.com/rodata/rodata/api/company"

// registersPage is the data of the page about the tax authority's smaller registers.
type registersPage struct{ companyPage }

// loadCompanyRegisters loads the page about the tax authority's smaller registers. Each entry that is not cached takes
// a second.
func loadCompanyRegisters(v *visit) (any, error) {
	cui, err := v.cui()
	if err != nil {
		return nil, err
	}

	profile, err := ask[*company.Company](v, "get_company", "cui", cui, "include", "registers,insolvency")
	return &registersPage{companyPage{words: words{v.lang}, Company: profile}}, err
}

// Entries are the company's entries in the registers.
func (p *registersPage) Entries() []fact {
	r := p.Registers
	return []fact{
		p.entry("registers.farmers", r.Farmers), p.entry("registers.nonProfits", r.NonProfits),
		p.entry("registers.eInvoice", company.RegisterEntry{Registered: r.EInvoice.Registered, From: r.EInvoice.From,
			To: r.EInvoice.To}),
	}
}

// entry returns whether the company is in a register. An unknown entry is never shown as no.
func (p *registersPage) entry(name string, e company.RegisterEntry) fact {
	if e.Registered == nil {
		return fact{Name: p.say(name), Value: p.say("fact.unknown"), Missing: true}
	}

	f := fact{Name: p.say(name), Value: p.say("registers.no")}
	if *e.Registered {
		f.Value = p.say("registers.yes")
	}

	from, to := "", ""
	if e.From != nil {
		from = p.say("registers.since", "day", p.dayOf(e.From))
	}
	if e.To != nil {
		to = p.say("registers.until", "day", p.dayOf(e.To))
	}

	f.Note = joinNonEmpty(" · ", from, to)
	return f
}

// CUI is the tax id in addresses.
func (p *registersPage) CUI() string { return p.TaxID.String() }

// Request is the API request of the page.
func (p *registersPage) Request() string {
	return "/v1/companies/" + p.TaxID.String() + "?include=registers,insolvency"
}
