package site

import (
	"github.com/rodata/rodata/api/company"
)

// historyPage is the data of the page about a company's past.
type historyPage struct {
	words
	*company.Facts
	CUI  string
	Next string // the address of the next page; empty on the last one
}

// loadCompanyHistory loads a page of a company's history.
func loadCompanyHistory(v *visit) (any, error) {
	cui, err := v.cui()
	if err != nil {
		return nil, err
	}

	limit := v.param("limit")
	facts, err := ask[*company.Facts](v, "get_company_history", "cui", cui, "cursor", v.param("cursor"), "limit", limit)
	if err != nil {
		return nil, err
	}

	page := &historyPage{words: words{v.lang}, Facts: facts, CUI: cui}
	if facts.Next != nil {
		cursor := must(facts.Next.MarshalText())
		page.Next = "/companies/" + cui + "/history?" +
			encodeParams([]string{"cursor", string(cursor), "limit", limit}).Encode()
	}

	return page, nil
}

// Name returns the name of the company, if one of the facts on the page has it.
func (p *historyPage) Name() string {
	for i := range p.Facts.Facts {
		if p.Facts.Facts[i].Field == "name" && p.Facts.Facts[i].LostAt == nil {
			return p.Facts.Facts[i].Value.Text
		}
	}

	return "CUI " + p.CUI
}

// Request is the API request of the page.
func (p *historyPage) Request() string { return "/v1/companies/" + p.CUI + "/history" }

// Origins are the registers that the page's data comes from.
func (p *historyPage) Origins() []origin { return p.origins(p.Sources) }

// pastFact is a fact of the past in words.
type pastFact struct {
	Field, Name string
	Value       string
	Class       string // of a status; empty for a text
	When        string
	Reason      string
	Known       string
}

// Past are the facts in words.
func (p *historyPage) Past() (all []pastFact) {
	for i := range p.Facts.Facts {
		all = append(all, p.past(&p.Facts.Facts[i]))
	}
	return all
}

func (p *historyPage) past(f *company.Fact) pastFact {
	fact := pastFact{Field: f.Field, Name: p.say("onday." + f.Field), Value: f.Value.Text,
		Reason: deref(f.Reason)}
	switch {
	case f.Value.Bool != nil:
		fact.Value = p.statusWord(f.Field, f.Value.Bool)
		fact.Class = statusClass(f.Field, f.Value.Bool, f.ValidFrom)
	case fact.Field == "stateRegistration":
		if state, err := p.t("state." + fact.Value); err == nil {
			fact.Value = state
		}
	}

	fact.When = joinNonEmpty(" · ", p.spanOf(f.ValidFrom, f.ValidTo), p.sayDay("onday.entered", "date", f.RecordedOn))
	learned, lost := "", ""
	if f.LearnedAt != nil {
		learned = p.say("onday.learned", "time", p.moment(*f.LearnedAt))
	}
	if f.LostAt != nil {
		lost = p.say("onday.lost", "time", p.moment(*f.LostAt))
	}

	fact.Known = joinNonEmpty(" · ", learned, lost, p.say("registry."+f.Source))
	return fact
}
