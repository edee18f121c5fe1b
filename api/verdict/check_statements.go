package verdict

import "github.com/rodata/rodata/api/company"

// statementsFiled looks at the last year whose statement was due before the day. It never fails, because public data
// does not show that nothing was filed.
func statementsFiled(f *Facts) finding {
	switch {
	case f.Company == nil:
		return f.nowhere()
	case f.Filings == nil:
		return unknown(ministry, notAsked)
	}

	s := f.Company.StatementState(f.Filings, f.Day)
	facts := RuleFacts{Year: s.Year, DueOn: s.DueOn, FiveMonthsEndOn: s.FiveMonthsEndOn, LastFiled: s.LastFiled}
	found := finding{source: ministry, facts: facts}
	asOf := f.Filings.AsOf()
	switch {
	case s.State == company.StatementNotRequired:
		found.result, found.reason = NotApplicable, Reason(s.Reason)
	case s.State == company.StatementUnknown:
		found.result, found.reason = Unknown, Reason(s.Reason)
	case asOf != nil && *asOf > f.KnownAt:
		found.result, found.reason, found.facts.LastFiled = Unknown, publishedLater, nil
	case s.State == company.StatementNotInFiles:
		found.result, found.reason = Unknown, Reason(s.State)
	default:
		found.result = Pass
	}

	return found
}
