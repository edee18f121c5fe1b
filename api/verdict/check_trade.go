package verdict

import "github.com/rodata/rodata/api/company"

// closing are the states of a company that is not in operation, apart from insolvency.
var closing = map[company.StateRegistration]Reason{
	company.Suspended: suspended, company.Dissolved: dissolved, company.InLiquidation: inLiquidation,
	company.StruckOff: struckOff,
}

// proceedings are the states of a company in insolvency proceedings.
var proceedings = map[company.StateRegistration]Reason{
	company.Insolvent: insolvent, company.InReorganization: inReorganization, company.Bankrupt: bankrupt,
}

// inOperation follows the tax authority's record of the day itself, if this gateway saw one. Otherwise either register
// may say that the company is closing, and the tax authority says it within days.
func inOperation(f *Facts) finding {
	c := f.Company
	if c == nil {
		return notApplicable(noSource, noCompany)
	}

	if then := f.Past.State; then != "" && then != company.UnknownState {
		facts := RuleFacts{State: then}
		if now := c.StateRegistration; now != then && now != company.UnknownState {
			facts.StateNow = now
		}

		return of(closing[then] == "", taxAuthority, closing[then], facts)
	}

	isNear := f.Day >= f.Today-nearRelease
	if reason, ok := closing[c.TaxState]; ok && isNear {
		return fail(taxAuthority, reason, RuleFacts{State: c.TaxState})
	}

	facts := RuleFacts{State: c.StateRegistration}
	switch open := f.unsettledTrade(); {
	case open == notInRegister && isNear && c.TaxState == company.InOperation: // a person's business, an association
		return pass(taxAuthority, RuleFacts{State: c.TaxState})
	case open != "":
		return f.unknownState(open)
	case closing[facts.State] != "":
		return fail(tradeRegister, closing[facts.State], facts)
	case !f.Tax.HasAnswered:
		return unknown(taxAuthority, notAsked)
	case proceedings[facts.State] != "":
		found := notApplicable(tradeRegister, inProceedings)
		found.facts = facts
		return found
	case facts.State != company.InOperation:
		return unknown(tradeRegister, notInRegister)
	}

	return pass(tradeRegister, facts)
}

// unknownState is the finding about a state that the trade register does not tell for the day, with today's state.
func (f *Facts) unknownState(reason Reason) finding {
	found := unknown(tradeRegister, reason)
	if f.Trade.IsListing {
		found.facts.StateNow = f.Company.StateRegistration
	}
	return found
}

func notInsolvent(f *Facts) finding {
	if f.Company == nil {
		return notApplicable(noSource, noCompany)
	}
	if open := f.unsettledTrade(); open != "" {
		return f.unknownState(open)
	}

	facts := RuleFacts{State: f.Company.StateRegistration}
	if f.Insolvency == nil || f.Insolvency.State == company.UnknownProceedings {
		return unknown(tradeRegister, notInRegister)
	}
	for _, code := range f.Insolvency.Codes {
		facts.Codes = append(facts.Codes, code.Code)
	}

	state := company.StateRegistration(f.Insolvency.State)
	if state == company.StruckOff {
		return notApplicable(tradeRegister, struckOff)
	}

	return of(proceedings[state] == "", tradeRegister, proceedings[state], facts)
}

func seatValid(f *Facts) finding {
	switch open := f.unsettledTrade(); {
	case f.Company == nil:
		return notApplicable(noSource, noCompany)
	case isPerson(f.Company):
		return notApplicable(tradeRegister, personsBusiness)
	case open != "":
		return unknown(tradeRegister, open)
	case f.Company.SeatExpired == nil:
		return unknown(tradeRegister, notInRegister)
	case *f.Company.SeatExpired:
		return fail(tradeRegister, seatExpired, RuleFacts{Codes: []string{"2069"}})
	}

	return pass(tradeRegister, RuleFacts{})
}

// isPerson reports whether the number in the trade register is that of a person's business: F12/345/2020.
func isPerson(c *company.Company) bool {
	return c.TradeNumber != nil && len(*c.TradeNumber) > 0 && (*c.TradeNumber)[0] == 'F'
}
