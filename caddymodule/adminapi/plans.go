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
func listPlans(g gateway, _ *http.Request) (any, error) {
	return customer.Catalogue(g.Config.Catalogue()), nil
}

func setPlan(g gateway, r *http.Request, in struct{ Plan string }) (any, error) {
	if err := g.checkPlan(in.Plan); err != nil {
		return nil, err
	}
	if err := g.Store.SetPlan(r.Context(), r.PathValue("id"), in.Plan); err != nil {
		return nil, err
	}

	return g.find(r.Context(), r.PathValue("id"))
}

// checkPlan returns an error if a plan is not in the catalogue.
func (g gateway) checkPlan(code string) error {
	var codes []string
	for _, plan := range g.Config.Catalogue() {
		codes = append(codes, plan.Code)
	}

	if !slices.Contains(codes, code) {
		return badRequest("there is no plan %q; there are: %s", code, strings.Join(codes, ", "))
	}

	return nil
}

// GivenCredits are credits given to an account for a month.
type GivenCredits struct {
	Account string `json:"account"`
	Period  string `json:"period"`
	Credits int64  `json:"credits"`
}

func giveCredits(g gateway, r *http.Request, in struct{ Credits int64 }) (any, error) {
	if in.Credits < 1 {
		return nil, badRequest("credits: give at least 1")
	}

	period := metering.Period(time.Now())
	if err := g.Store.GiveCredits(r.Context(), r.PathValue("id"), period, in.Credits); err != nil {
		return nil, err
	}

	return GivenCredits{r.PathValue("id"), period, in.Credits}, nil
}
