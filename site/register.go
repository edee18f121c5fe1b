package site

import (
	"slices"

	"github.com/rodata/rodata/api/company"
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

// outOfDate is the age in days at which a release of the trade register counts as out of date. Releases appear about
// once a month.
const outOfDate = 92

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
		old := name == onrc && s.AsOf != nil && today-*s.AsOf > outOfDate
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
