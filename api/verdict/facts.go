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

// unsettledTrade returns why the trade register's state does not tell the state on the day; empty if it does.
func (f *Facts) unsettledTrade() Reason {
	switch {
	case !f.Trade.HasAnswered:
		return notAsked
	case !f.Trade.IsListing:
		return notInRegister
	case f.Today-f.Trade.AsOf > oldestRelease:
		return tooOld
	case f.Day < f.Trade.AsOf-nearRelease:
		return stateIsTodays
	}

	return ""
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
	isStruckOff = c.StateRegistration == company.StruckOff || c.TaxState == company.StruckOff
	switch {
	case c.Inactive != nil && c.Inactive.StruckOff != nil:
		return c.Inactive.StruckOff, true
	case isStruckOff && f.Insolvency != nil:
		return f.Insolvency.Since, true
	}

	return nil, isStruckOff
}
