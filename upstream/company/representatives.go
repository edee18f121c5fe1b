package company

import (
	"context"
	"fmt"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/onrc"
)

// LegalRepresentatives returns the legal representatives of a company in the trade
// register.
func (r *Register) LegalRepresentatives(_ context.Context, cui api.CUI) (*api.LegalRepresentatives, error) {
	all := &api.LegalRepresentatives{Governance: []api.LegalRepresentative{}, Procedural: []api.LegalRepresentative{}}
	firms, _, err := r.trade.ByTaxID(cui)
	if err != nil || len(firms) == 0 {
		return all, err
	}

	known, err := onrc.RepresentativesOf(firms[0])
	if err != nil {
		return nil, fmt.Errorf("reading the representatives of %d: %w", cui, err)
	}

	for _, one := range known.Governance {
		all.Governance = append(all.Governance, api.LegalRepresentative(one))
	}

	for _, one := range known.Procedural {
		all.Procedural = append(all.Procedural, api.LegalRepresentative(one))
	}

	return all, nil
}
