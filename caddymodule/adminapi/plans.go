package adminapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/metering"
)

// listPlans returns the catalogue, like /v1/plans.
func listPlans(g *Gateway, _ *http.Request) (any, error) { return customer.Catalogue(g.Plans), nil }

func setPlan(g *Gateway, r *http.Request) (any, error) {
	in, err := readBody[struct{ Plan string }](r)
	if err != nil {
		return nil, err
	}
	if in.Plan, err = g.planCode(in.Plan); err != nil {
		return nil, err
	}
	if err := g.Store.SetPlan(r.Context(), r.PathValue("id"), in.Plan); err != nil {
		return nil, err
	}

	return g.find(r.Context(), r.PathValue("id"))
}

// planCode returns the code, or an error if it is not in the catalogue.
func (g *Gateway) planCode(code string) (string, error) {
	var codes []string
	for _, plan := range g.Plans {
		codes = append(codes, plan.Code)
	}

	if !slices.Contains(codes, code) {
		return "", badRequest("there is no plan %q; there are: %s", code, strings.Join(codes, ", "))
	}

	return code, nil
}

// GivenCredits are credits given to an account for a month.
type GivenCredits struct {
	Account string `json:"account"`
	Period  string `json:"period"`
	Credits int64  `json:"credits"`
}

func giveCredits(g *Gateway, r *http.Request) (any, error) {
	in, err := readBody[struct{ Credits int64 }](r)
	if err != nil {
		return nil, err
	}
	if in.Credits < 1 {
		return nil, badRequest("credits: give at least 1")
	}

	period := metering.Period(time.Now())
	if err := g.Store.GiveCredits(r.Context(), r.PathValue("id"), period, in.Credits); err != nil {
		return nil, err
	}

	return GivenCredits{r.PathValue("id"), period, in.Credits}, nil
}
