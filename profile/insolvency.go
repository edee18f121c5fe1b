package profile

import (
	"context"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc"
)

// Insolvency returns the trade register's data on proceedings against a company. If the trade register does not list
// the company or its state, only dissolution and striking off are known, because the tax authority's text has them.
func (r *Register) Insolvency(_ context.Context, c *company.Company) *company.Insolvency {
	return insolvencyOf(c, r.entry(c.TaxID))
}

// insolvencyOf returns the proceedings against a company with an entry in the trade register, nil for none.
func insolvencyOf(c *company.Company, e *entry) *company.Insolvency {
	i := company.NewInsolvency(c.StateRegistration.Proceedings())
	switch {
	case e != nil && e.firm.State != "" && e.firm.State != company.UnknownState:
	case i.State == company.NoProceedings: // the tax authority has no data on insolvency
		i = company.NewInsolvency(company.UnknownProceedings)
	}

	i.Since = since(i.State, c)
	if e == nil {
		return i
	}

	i.DataThrough = e.source.AsOf
	i.Codes, i.Representatives = nil, nil // unknown
	if known, err := onrc.ExtraOf(e.firm); err == nil {
		i.Codes, i.Representatives = known.Proceedings, legalRepresentatives(known.Procedural)
	}

	return i
}

// since returns the day in the tax authority's text, if the text is about this state.
func since(state company.InsolvencyState, c *company.Company) *ro.Date {
	if c.RegistrationStatus == nil {
		return nil
	}

	text, day := anaf.StateSince(*c.RegistrationStatus)
	switch stated := text.Proceedings(); {
	case stated == company.NoProceedings, stated == company.UnknownProceedings:
		return nil
	case stated == state,
		stated == company.InsolvencyState(company.Dissolved) && state == company.InsolvencyState(company.InLiquidation):
		return day // liquidation begins with the dissolution
	}

	return nil
}
