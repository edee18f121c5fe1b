package profile

import (
	"context"
	"fmt"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/onrc"
)

// LegalRepresentatives returns the legal representatives of a company in the trade register.
func (r *Register) LegalRepresentatives(_ context.Context, cui ro.CUI) (*company.LegalRepresentatives, error) {
	var known onrc.Extra
	firms, _, err := r.trade.ByTaxID(cui)
	if err == nil && len(firms) > 0 {
		known, err = onrc.ExtraOf(firms[0])
	}
	if err != nil {
		return nil, fmt.Errorf("reading the representatives of %d: %w", cui, err)
	}

	return &company.LegalRepresentatives{
		Governance: legalRepresentatives(known.Governance), Procedural: legalRepresentatives(known.Procedural),
	}, nil
}

func legalRepresentatives(listed []onrc.Representative) []company.LegalRepresentative {
	all := make([]company.LegalRepresentative, len(listed))
	for i, one := range listed {
		all[i] = company.LegalRepresentative(one)
	}
	return all
}
