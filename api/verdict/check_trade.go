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

// today returns the finding of a rule that is unknown for the day, with the current state in place of stateIsTodays if
// the rule would fail for it today.
func (found *finding) today(state Reason) finding {
	if _, isExplained := reasons[state+ofToday]; isExplained && found.reason == stateIsTodays {
		found.reason = state + ofToday
	}
	return *found
}

// inOperation follows the tax authority's record of the day itself, if this gateway saw one. Otherwise either register
// may say that the company is closing, and the tax authority says it within days, in most records with the first day.
func inOperation(f *Facts) finding {
	end := f.unsettled()
	if end != nil && (f.Company == nil || end.result == NotApplicable) {
		return *end
	}

	c := f.Company
	if then := f.Past.State; then != "" && then != company.UnknownState {
		facts := RuleFacts{State: then}
		if now := c.StateRegistration; now != then && now != company.UnknownState {
			facts.StateNow = now
		}

		return of(closing[then] == "", taxAuthority, closing[then], facts)
	}

	isTold, isLater := f.lastDay() >= f.Today-maxDaysBeforeRelease, false
	if c.TaxStateSince != nil && closing[c.TaxState] != "" {
		isTold = f.lastDay() >= *c.TaxStateSince
		isLater = !isTold
	}
	if isTold && closing[c.TaxState] != "" {
		return fail(taxAuthority, closing[c.TaxState], RuleFacts{State: c.TaxState})
	}

	facts := RuleFacts{State: c.StateRegistration}
	switch {
	case end != nil && end.reason == notInRegister && isTold && c.TaxState == company.InOperation:
		return pass(taxAuthority, RuleFacts{State: c.TaxState}) // a person's business, an association
	case end != nil && isLater:
		return *end
	case end != nil:
		return end.today(closing[facts.State])
	case closing[facts.State] != "" && isLater:
		return f.onlyNow(stateIsTodays)
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

func notInsolvent(f *Facts) finding {
	switch end := f.unsettled(); {
	case end != nil && f.Insolvency != nil:
		return end.today(proceedings[company.StateRegistration(f.Insolvency.State)])
	case end != nil:
		return *end
	case f.Insolvency == nil || f.Insolvency.State == company.UnknownProceedings:
		return unknown(tradeRegister, notInRegister)
	}

	facts := RuleFacts{State: f.Company.StateRegistration}
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
	end, c := f.unsettled(), f.Company
	if c == nil {
		return *end
	}

	isExpired, isStruckOff := c.SeatExpired != nil && *c.SeatExpired, c.StateRegistration == company.StruckOff
	switch {
	case c.IsPersonsBusiness():
		return notApplicable(tradeRegister, personsBusiness)
	case end != nil && isExpired && !isStruckOff:
		return end.today(seatExpired)
	case end != nil:
		return *end
	case isStruckOff:
		return notApplicable(tradeRegister, struckOff)
	case c.SeatExpired == nil:
		return unknown(tradeRegister, notInRegister)
	case isExpired:
		return fail(tradeRegister, seatExpired, RuleFacts{Codes: []string{"2069"}})
	}

	return pass(tradeRegister, RuleFacts{})
}
