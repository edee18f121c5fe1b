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
	// Then are the statuses on Day as known at KnownAt, and Now the register's current ones for the same day. They are
	// nil if nothing is known.
	Then, Now *company.StatusesOnDay
	Past      company.Past
	Invoice   Invoice
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
	IBAN       IBAN
}

// Limits of trust in the trade register's monthly releases, in days.
const (
	// nearRelease is the number of days before a release in which its states still count as those of the day.
	nearRelease = 31
	// oldestRelease is the greatest age of a release whose states count.
	oldestRelease = 70
)

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
	case f.Today-f.Trade.AsOf > oldestRelease:
		return new(f.onlyNow(tooOld))
	case f.Day < f.Trade.AsOf-nearRelease:
		return new(f.onlyNow(stateIsTodays))
	}

	return nil
}

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

// struckOffOn returns the day on which the company was struck off, nil if it was not or the day is unknown, and whether
// a register says that it was struck off.
func (f *Facts) struckOffOn() (day *ro.Date, isStruckOff bool) {
	c := f.Company
	switch {
	case c.TaxState == company.StruckOff && c.TaxStateSince != nil:
		return c.TaxStateSince, true
	case c.Inactive != nil && c.Inactive.StruckOff != nil:
		return c.Inactive.StruckOff, true
	}

	return nil, c.StateRegistration == company.StruckOff || c.TaxState == company.StruckOff
}
