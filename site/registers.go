package site

import (
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	rules "github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/ro"
)

// The registers that a profile comes from.
const (
	anaf = "anaf" // the tax authority
	onrc = "onrc" // the trade register
)

// standing is whether a register has answered about a company.
type standing string

const (
	asked  standing = "asked"  // the register was asked and has the company
	failed standing = "failed" // it could not be asked
	silent standing = "silent" // it does not know the number
	none   standing = "none"   // the register is not loaded or does not have the company
)

// register describes what a register contributed to a profile.
type register struct {
	standing standing
	stale    bool
	age      string // the date or time of its data
}

// registerPages are the public pages on which people can look up an entry of a register themselves. That of the tax
// authority covers the registers of VAT, VAT on collection and inactive taxpayers.
var registerPages = map[string]string{
	anaf: "https://www.anaf.ro/RegistruTVA/", onrc: "https://myportal.onrc.ro/",
	"vies": "https://ec.europa.eu/taxation_customs/vies/",
}

// register returns what a register contributed to a profile. today determines whether the register is out of date.
func (w words) register(c *company.Company, name string, today ro.Date) register {
	s := sourceOf(c.Sources, name)
	r := register{standing: standingOf(c, name)}
	switch {
	case s == nil:
	case name == onrc && s.AsOf != nil:
		r.age = w.dayOf(s.AsOf)
	case s.RetrievedAt != nil:
		r.age = w.moment(*s.RetrievedAt)
	}

	if r.standing == asked {
		old := name == onrc && s.AsOf != nil && today-*s.AsOf > rules.MaxReleaseAge
		r.stale = s.Stale || old
	}

	return r
}

// standingOf returns whether a register has answered about a company.
func standingOf(c *company.Company, name string) standing {
	switch s := sourceOf(c.Sources, name); {
	case s == nil && name == onrc:
		return none
	case s == nil || s.RetrievedAt == nil:
		return failed
	case name == anaf && c.RegistrationStatus == nil && c.VATPayer == nil && c.Inactive == nil && c.EInvoice == nil:
		return silent
	}

	return asked
}

// allAsked reports whether all the named registers were queried and have the company.
func allAsked(c *company.Company, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return standingOf(c, name) != asked })
}

// sourceOf returns the source with a name; nil if there is none.
func sourceOf(sources []company.Source, name string) *company.Source {
	if i := slices.IndexFunc(sources, func(s company.Source) bool { return s.Name == name }); i >= 0 {
		return &sources[i]
	}
	return nil
}

// origin names the register that the data of a part of a page comes from, and the date of its data.
type origin struct {
	Name, Text string
	Link       string // of the register's own page; empty if it has none
	At         *time.Time
	Stale      bool
}

// origins returns the sources of an answer: first the wanted ones, even if the answer does not have them, and then all
// others.
func (w words) origins(sources []company.Source, wanted ...string) []origin {
	for _, s := range sources {
		if !slices.Contains(wanted, s.Name) {
			wanted = append(wanted, s.Name)
		}
	}

	all := make([]origin, len(wanted))
	for i, name := range wanted {
		all[i] = w.origin(name, sourceOf(sources, name))
	}

	return all
}

func (w words) origin(name string, s *company.Source) origin {
	o := origin{Name: w.say("registry." + name), Link: registerPages[name]}
	switch {
	case s == nil && name == onrc:
		o.Text = w.say("source.none")
	case s == nil || s.RetrievedAt == nil && s.AsOf == nil:
		o.Text = w.say("source.failed")
		if name == "anaf-bilant" {
			o.Text = w.say("source.stored")
		}
	case s.RetrievedAt == nil:
		o.Text = w.sayDay("source.asOf", "date", s.AsOf)
	default:
		o.At, o.Stale = s.RetrievedAt, s.Stale
		o.Text = w.say("source.asked", "time", w.moment(*s.RetrievedAt))
		if name == onrc {
			o.Text = w.say("source.loaded", "time", w.moment(*s.RetrievedAt))
		}
		o.Text = joinNonEmpty(" · ", o.Text, w.sayDay("source.asOf", "date", s.AsOf))
	}

	return o
}

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

	f.Note = joinNonEmpty(" · ", p.sayDay("registers.since", "day", e.From),
		p.sayDay("registers.until", "day", e.To))
	return f
}

// CUI is the tax id in addresses.
func (p *registersPage) CUI() string { return p.TaxID.String() }

// Request is the API request of the page.
func (p *registersPage) Request() string {
	return "/v1/companies/" + p.TaxID.String() + "?include=registers,insolvency"
}
