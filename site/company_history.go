package site

import (
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/ro"
)

// historyPage is the data of the page about a company's past.
type historyPage struct {
	words
	CUI     string
	Facts   []company.Fact
	Next    string // the address of the next page; empty on the last one
	sources []client.Source
}

// companyFacts is the answer of get_company_history.
type companyFacts struct {
	Facts   []company.Fact  `json:"facts"`
	Next    *string         `json:"next"`
	Sources []client.Source `json:"sources"`
}

// loadCompanyHistory loads a page of a company's history.
func loadCompanyHistory(v *visit) (content, error) {
	cui, err := v.cui()
	if err != nil {
		return nil, err
	}

	limit := v.param("limit")
	document, err := v.call("get_company_history", "cui", cui, "cursor", v.param("cursor"), "limit", limit)
	if err != nil {
		return nil, err
	}

	return contentOf(document, func(facts *companyFacts) any {
		page := &historyPage{words: words{v.lang}, CUI: cui, Facts: facts.Facts, sources: facts.Sources}
		if facts.Next != nil {
			page.Next = "/companies/" + cui + "/history?" +
				encodeParams([]string{"cursor", *facts.Next, "limit", limit}).Encode()
		}

		return page
	}), nil
}

// Name returns the name of the company, if one of the facts on the page has it.
func (p *historyPage) Name() string {
	for i := range p.Facts {
		if p.Facts[i].Field == "name" && p.Facts[i].LostAt == nil {
			return p.Facts[i].Value.Text
		}
	}

	return "CUI " + p.CUI
}

// Request is the API request of the page.
func (p *historyPage) Request() string { return "/v1/companies/" + p.CUI + "/history" }

// Origins are the registers that the page's data comes from.
func (p *historyPage) Origins() []origin { return p.origins(p.sources) }

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
	for i := range p.Facts {
		all = append(all, p.past(&p.Facts[i]))
	}
	return all
}

func (p *historyPage) past(f *company.Fact) pastFact {
	fact := pastFact{Field: string(f.Field), Name: p.say("onday." + string(f.Field)), Value: f.Value.Text,
		Reason: deref(f.Reason)}
	from, to := clientDay(f.ValidFrom), clientDay(f.ValidTo)
	switch {
	case f.Value.Bool != nil:
		fact.Value, fact.Class = p.statusWord(fact.Field, f.Value.Bool), statusClass(fact.Field, f.Value.Bool, from)
	case fact.Field == "stateRegistration":
		if state, err := p.t("state." + fact.Value); err == nil {
			fact.Value = state
		}
	}

	entered := ""
	if f.RecordedOn != nil {
		entered = p.say("onday.entered", "date", p.dayOf(clientDay(f.RecordedOn)))
	}

	fact.When = joinNonEmpty(" · ", p.spanOf(from, to), entered)
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

// clientDay converts a day to the type of the Go client.
func clientDay(d *ro.Date) *client.Date {
	if d == nil {
		return nil
	}
	return new(must(client.ParseDate(d.String())))
}
