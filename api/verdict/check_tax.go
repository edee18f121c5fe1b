package verdict

import (
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// Days on which the law changed what a rule means.
var (
	splitVATEnded     = ro.NewDate(2020, 2, 1) // OUG 23/2017
	eInvoiceMandatory = ro.NewDate(2024, 7, 1) // OUG 69/2024
)

func exists(f *Facts) finding {
	switch {
	case f.Tax.IsListing:
		return pass(taxAuthority, RuleFacts{})
	case f.Trade.IsListing:
		return pass(tradeRegister, RuleFacts{})
	}

	found := f.nowhere()
	if found.result == NotApplicable {
		found = fail(taxAuthority, noCompany, RuleFacts{})
	}

	return found
}

// existedOnDate passes only if both registers answered, because either may say that the company was struck off.
func existedOnDate(f *Facts) finding {
	if f.Company == nil {
		return f.nowhere()
	}

	from := f.identifier()
	off, isStruckOff := f.Company.StruckOffOn()
	facts := RuleFacts{RegisteredOn: f.Company.RegistrationDate, StruckOffOn: off}
	known := f.Today // since when a register says it
	if f.Company.StateRegistration == company.StruckOff && f.Trade.IsListing {
		known = f.Trade.AsOf
	}

	switch {
	case f.isBeforeRegistration():
		return fail(from, registeredLater, facts)
	case off != nil && *off <= f.lastDay():
		return fail(from, struckOff, facts)
	case off == nil && isStruckOff && f.lastDay() >= known:
		return fail(from, struckOff, facts)
	case !f.Tax.HasAnswered:
		return unknown(taxAuthority, notAsked)
	case !f.Trade.HasAnswered:
		return unknown(tradeRegister, notAsked)
	case facts.RegisteredOn == nil, off == nil && isStruckOff:
		return unknown(from, noDate)
	}

	return pass(from, facts)
}

// status returns a status of the tax authority and its facts, or a finding that ends the rule.
func (f *Facts) status(of func(*company.StatusesOnDay) *company.StatusOnDay) (facts RuleFacts, end *finding) {
	found := finding{}
	switch {
	case f.Company == nil && f.Then == nil:
		found = f.nowhere()
	case f.Then == nil && f.Tax.HasAnswered:
		found = unknown(taxAuthority, notInRegister)
	case f.Then == nil:
		found = unknown(taxAuthority, notAsked)
	case of(f.Then).Value == nil && f.Company != nil && f.isBeforeRegistration():
		found = notApplicable(taxAuthority, registeredLater)
	case of(f.Then).Value == nil:
		found = unknown(taxAuthority, periodNotReported)
	default:
		then := of(f.Then)
		facts = RuleFacts{Value: then.Value, Basis: then.Basis, From: then.From, To: then.To, EnteredOn: then.EnteredOn}
		if f.Now != nil && of(f.Now).Value != nil {
			facts.Now = of(f.Now).Value
			facts.ChangedRetroactively = new(*facts.Now != *facts.Value)
		}

		return facts, nil
	}

	return RuleFacts{}, &found
}

func notInactive(f *Facts) finding {
	facts, end := f.status(func(s *company.StatusesOnDay) *company.StatusOnDay { return &s.Inactive })
	if end != nil {
		return *end
	}
	return of(!*facts.Value, taxAuthority, inactive, facts)
}

func vatPayer(s *company.StatusesOnDay) *company.StatusOnDay { return &s.VATPayer }

func vatRegistered(f *Facts) finding {
	facts, end := f.status(vatPayer)
	found := finding{}
	switch {
	case f.Company != nil && f.Invoice.VATCharged == ro.No:
		return notApplicable(noSource, noVATCharged)
	case end != nil:
		found = *end
	case *facts.Value:
		found = pass(taxAuthority, facts)
	case facts.To != nil:
		found = fail(taxAuthority, cancelled, facts)
		found.level = Attention
	default:
		found = fail(taxAuthority, notRegistered, facts)
	}

	if f.Invoice.VATCharged == ro.Yes {
		found.level = Stop
	}

	return found
}

func vatDeductibleAtOnce(f *Facts) finding {
	registered, end := f.status(vatPayer)
	switch {
	case f.Company != nil && f.Invoice.VATCharged == ro.No:
		return notApplicable(noSource, noVATCharged)
	case end != nil:
		return *end
	case !*registered.Value:
		return notApplicable(taxAuthority, notRegistered)
	}

	facts, end := f.status(func(s *company.StatusesOnDay) *company.StatusOnDay { return &s.VATOnCollection })
	if end != nil {
		return *end
	}

	return of(!*facts.Value, taxAuthority, onCollection, facts)
}

func noSplitVAT(f *Facts) finding {
	facts, end := f.status(func(s *company.StatusesOnDay) *company.StatusOnDay { return &s.VATSplit })
	switch {
	case f.Day >= splitVATEnded:
		return notApplicable(taxAuthority, schemeEnded)
	case end != nil:
		return *end
	}

	return of(!*facts.Value, taxAuthority, splitVAT, facts)
}

func inEInvoiceRegister(f *Facts) finding {
	facts, end := f.status(func(s *company.StatusesOnDay) *company.StatusOnDay { return &s.EInvoice })
	switch {
	case f.Day >= eInvoiceMandatory:
		found := notApplicable(taxAuthority, allFirms)
		found.facts = facts
		return found
	case end != nil:
		return *end
	}

	return of(*facts.Value, taxAuthority, notEnrolled, facts)
}
