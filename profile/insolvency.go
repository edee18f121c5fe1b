package profile

import (
	"context"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc"
)

// Insolvency returns the trade register's data on proceedings against a company. If the trade register does not list
// the company or its state, only dissolution and striking off are known, because the tax authority's text has them.
func (r *Register) Insolvency(_ context.Context, company *api.Company) *api.Insolvency {
	i := api.NewInsolvency(proceedingsOf(company.StateRegistration))
	e := r.entry(company.TaxID)
	switch {
	case e != nil && e.firm.State != "" && e.firm.State != api.UnknownState:
	case i.State == api.NoProceedings: // the tax authority has no data on insolvency
		i = api.NewInsolvency(api.UnknownProceedings)
	}

	i.Since = since(i.State, company)
	if e == nil {
		return i
	}

	i.DataThrough = e.source.AsOf
	i.Codes, i.Representatives = nil, nil // unknown
	if codes, err := onrc.ProceedingsOf(e.firm); err == nil {
		i.Codes = codes
	}
	if known, err := onrc.RepresentativesOf(e.firm); err == nil {
		i.Representatives = legalRepresentatives(known.Procedural)
	}

	return i
}

// proceedingsOf returns the proceedings for a state of the company.
func proceedingsOf(state api.StateRegistration) api.InsolvencyState {
	switch state {
	case api.InOperation, api.Suspended:
		return api.NoProceedings
	case api.UnknownState, "":
		return api.UnknownProceedings
	}

	return api.InsolvencyState(state)
}

// since returns the day in the tax authority's text, if the text is about this state.
func since(state api.InsolvencyState, company *api.Company) *ro.Date {
	if company.RegistrationStatus == nil {
		return nil
	}

	text, day := anaf.StateSince(*company.RegistrationStatus)
	switch stated := proceedingsOf(text); {
	case stated == api.NoProceedings, stated == api.UnknownProceedings:
		return nil
	case stated == state,
		stated == api.InsolvencyState(api.Dissolved) && state == api.InsolvencyState(api.InLiquidation):
		return day // liquidation begins with the dissolution
	}

	return nil
}
