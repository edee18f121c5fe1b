package company

import (
	"context"

	"github.com/rodata/rodata/api"
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

	through := *e.source.AsOf
	i.DataThrough = &through
	i.Codes, i.Representatives = []api.StateCode(nil), []api.LegalRepresentative{}
	if codes, err := onrc.ProceedingsOf(e.firm); err == nil {
		i.Codes = codes
	}

	known, err := onrc.RepresentativesOf(e.firm)
	if err != nil {
		i.Representatives = nil
	}

	for _, one := range known.Procedural {
		i.Representatives = append(i.Representatives, api.LegalRepresentative(one))
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
func since(state api.InsolvencyState, company *api.Company) *api.Date {
	if company.RegistrationStatus == nil {
		return nil
	}

	said, day := anaf.StateSince(*company.RegistrationStatus)
	switch is := proceedingsOf(said); {
	case is == api.NoProceedings, is == api.UnknownProceedings:
		return nil
	case is == state, is == api.InsolvencyState(api.Dissolved) && state == api.InsolvencyState(api.InLiquidation):
		return day // liquidation begins with the dissolution
	}

	return nil
}
