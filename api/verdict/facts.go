package verdict

import (
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// Facts is what the registers and the caller say about a supplier. The rules depend on nothing else.
type Facts struct {
	// Day is the day of the verdict. What became known after the end of KnownAt does not count. Today is the current
	// day in Bucharest.
	Day, KnownAt, Today ro.Date
	// Tax is the tax authority, and Trade the trade register.
	Tax, Trade Register
	// Company is the profile from the registers that answered; nil if none of them has the company. Insolvency is its
	// part about proceedings.
	Company    *company.Company
	Insolvency *company.Insolvency
	// Filings is what is known about the last statement that was due before Day; nil if nothing is.
	Filings *company.Filings
	// Then are the statuses on Day as known at KnownAt, and Now the register's current ones for the same day. They are
	// nil if nothing is known.
	Then, Now *company.StatusesOnDay
	Past      company.Past
	Invoice   Invoice
}

// OfProfile returns the facts in a profile of today, which may have its part about proceedings.
func OfProfile(c *company.Company, today ro.Date) *Facts {
	f := &Facts{Day: today, KnownAt: today, Today: today}
	f.addProfile(c, c.Release)
	f.Insolvency, f.Filings = c.Insolvency, c.Filings
	if !f.Tax.IsListing {
		return f
	}

	f.Then = new(company.StatusesOnDay)
	for i, value := range c.Statuses() {
		f.Then.All()[i].Value = value
	}
	if n := len(c.VATPeriods); n > 0 {
		f.Then.VATPayer.To = c.VATPeriods[n-1].To
	}

	return f
}

// OfSummary returns the facts in a result of a search: the trade register's, from its release, and whether the tax
// authority declared the company inactive, if known.
func OfSummary(s *company.Summary, release *ro.Date, today ro.Date) *Facts {
	f := OfProfile(&company.Company{
		Name: s.Name, TradeNumber: s.TradeNumber, RegistrationDate: s.RegistrationDate,
		StateRegistration: s.StateRegistration, Sources: []company.Source{{Name: "onrc", AsOf: release}},
		Insolvency: company.NewInsolvency(s.StateRegistration.Proceedings()),
	}, today)
	if s.Inactive != nil {
		f.Company.Inactive = &company.Inactive{Status: *s.Inactive}
		f.Then = &company.StatusesOnDay{Inactive: company.StatusOnDay{Value: s.Inactive}}
	}

	return f
}

// addProfile adds a profile, nil for none, and what its sources say about the registers' answers.
func (f *Facts) addProfile(c *company.Company, release ro.Date) {
	f.Company = c
	f.Trade.AsOf, f.Trade.HasAnswered = release, release != 0
	if c == nil {
		return
	}

	for _, source := range c.Sources {
		answered := Register{HasAnswered: true, IsListing: true}
		if source.AsOf != nil {
			answered.AsOf = *source.AsOf
		}

		switch {
		case source.Name == "onrc":
			f.Trade = answered
		case source.Name == "anaf" && source.RetrievedAt != nil:
			answered.IsListing = !c.Unlisted
			f.Tax = answered
		}
	}
}

// Register is what is known about a register's answer.
type Register struct {
	// HasAnswered reports that the register was asked, or that its stored answer is used. IsListing reports that it has
	// the company.
	HasAnswered, IsListing bool
	// AsOf is the day of the register's data; 0 without an answer.
	AsOf ro.Date
}

// Invoice is what the caller says about the invoice or the payment. Fields that were not sent are empty.
type Invoice struct {
	Amount     Amount
	Payment    Payment
	VATCharged ro.YesNo
	Name       Name
	Address    Address
	IBAN       ro.IBAN
}

// nowhere is the finding if no register that answered has the company: not applicable if both have answered.
func (f *Facts) nowhere() finding {
	switch {
	case !f.Tax.HasAnswered:
		return unknown(taxAuthority, notAsked)
	case !f.Trade.HasAnswered:
		return unknown(tradeRegister, notAsked)
	}

	return notApplicable(noSource, noCompany)
}

// unsettled returns the finding that ends a rule if the trade register's state does not tell the state on the day.
func (f *Facts) unsettled() *finding {
	switch {
	case f.Company == nil:
		return new(f.nowhere())
	case f.isBeforeRegistration():
		return new(notApplicable(f.identifier(), registeredLater))
	case !f.Trade.HasAnswered:
		return new(unknown(tradeRegister, notAsked))
	case !f.Trade.IsListing:
		return new(unknown(tradeRegister, notInRegister))
	case f.lastDay() < f.Trade.AsOf-maxDaysBeforeRelease:
		return new(f.onlyNow(stateIsTodays))
	case f.Today-f.Trade.AsOf > MaxReleaseAge:
		return new(f.onlyNow(tooOld))
	}

	return nil
}

// lastDay returns the earlier of the day that is judged and the day up to which knowledge counts. A state that a
// register publishes without a date counts only if the register's data is not much newer.
func (f *Facts) lastDay() ro.Date { return min(f.Day, f.KnownAt) }

// onlyNow is the finding about a state that the trade register does not tell for the day, with today's state.
func (f *Facts) onlyNow(reason Reason) finding {
	found := unknown(tradeRegister, reason)
	found.facts.StateNow = f.Company.StateRegistration
	return found
}

// identifier returns the register whose name and dates the profile has.
func (f *Facts) identifier() source {
	if f.Tax.IsListing {
		return taxAuthority
	}
	return tradeRegister
}

// isBeforeRegistration reports whether the company was registered after the day.
func (f *Facts) isBeforeRegistration() bool {
	return f.Company.RegistrationDate != nil && *f.Company.RegistrationDate > f.Day
}
