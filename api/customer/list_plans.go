package customer

import (
	"context"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Plan is a plan of the catalogue.
type Plan struct {
	Code            string     `json:"code" doc:"Short name, used for checkout."`
	Name            string     `json:"name" doc:"Display name."`
	MonthlyCredits  int64      `json:"monthlyCredits" doc:"Credits per calendar month (UTC); -1 means unlimited."`
	RateLimitRPS    int        `json:"rateLimitRps" doc:"Requests per second."`
	RateLimitBurst  int        `json:"rateLimitBurst" doc:"Requests at once."`
	PriceEURMonthly ro.Decimal `json:"priceEurMonthly" doc:"List price in EUR a month, without VAT; 0 for the Free and Enterprise plans. Always a number: listPriceEurMonthly tells a free plan from one without a list price."`
	Purchasable     bool       `json:"purchasable" doc:"Available by self-service checkout."`
	// ListPriceEURMonthly is PriceEURMonthly, or nil if the plan has no list price.
	ListPriceEURMonthly *ro.Decimal `json:"listPriceEurMonthly" doc:"The same price: 0 for a free plan, null if the price is agreed with the operator."`
}

// Catalogue returns the plans as callers see them.
func Catalogue(plans []metering.Plan) []Plan {
	catalogue := make([]Plan, len(plans))
	for i, p := range plans {
		catalogue[i] = Plan{
			Code: p.Code, Name: p.Name, MonthlyCredits: p.MonthlyCredits, RateLimitRPS: p.Rate.N,
			RateLimitBurst: p.Rate.Burst, Purchasable: p.Purchasable,
		}
		if p.PriceCents != nil {
			price := ro.Cents(*p.PriceCents)
			catalogue[i].PriceEURMonthly, catalogue[i].ListPriceEURMonthly = price, &price
		}
	}

	return catalogue
}

// ListPlans returns the operation list_plans.
func ListPlans(plans []metering.Plan) *op.Operation {
	catalogue := Catalogue(plans)
	return op.Define(op.Spec{
		Name: "list_plans", Method: "GET", Path: "/v1/plans", Tag: tag.System,
		Title:       "List plans",
		Description: "The plans with their monthly credits, rate limits and prices. Free, no key needed.",
	}, func(context.Context, account.Caller, struct{}) (op.Answer[[]Plan], error) {
		return op.Answer[[]Plan]{Value: catalogue, Freshness: op.Freshness{MaxAge: time.Minute}}, nil
	})
}
