package metering

import "slices"

// Plan describes what an account may use: its credits, its rate, and the operations.
type Plan struct {
	// Code is the plan's name in requests and configuration, in lower case.
	Code string
	// Name is the display name.
	Name string
	// MonthlyCredits are the credits of a calendar month in UTC, or Unlimited.
	MonthlyCredits int64
	// Rate limits calls.
	Rate Rate
	// PriceCents is the monthly list price in euro cents, without VAT: 0 for a free plan, nil for an individual price.
	PriceCents *int64
	// Purchasable is true if the plan is sold by self-service checkout.
	Purchasable bool
	// Without lists the entitlements that the plan lacks.
	Without []Entitlement
}

// Unlimited is the value of MonthlyCredits for a plan without a limit.
const Unlimited = -1

// Entitlement is the right to use a group of operations.
type Entitlement string

// The entitlements that operations require.
const (
	CompaniesRead   Entitlement = "companies.read"
	CompaniesSearch Entitlement = "companies.search"
)

// Includes reports whether the plan has an entitlement.
func (p *Plan) Includes(e Entitlement) bool { return !slices.Contains(p.Without, e) }

// DefaultPlans returns the plans that are offered if none are configured.
func DefaultPlans() []Plan {
	return []Plan{
		{Code: "free", Name: "Free", MonthlyCredits: 100, Rate: PerSecond(2, 10), PriceCents: new(int64(0))},
		{Code: "starter", Name: "Starter", MonthlyCredits: 5_000, Rate: PerSecond(5, 20), PriceCents: new(int64(19_00)),
			Purchasable: true},
		{Code: "pro", Name: "Pro", MonthlyCredits: 50_000, Rate: PerSecond(20, 60), PriceCents: new(int64(79_00)),
			Purchasable: true},
		{Code: "enterprise", Name: "Enterprise", MonthlyCredits: Unlimited, Rate: PerSecond(100, 300)},
	}
}

// Anonymous is the default rate of each address without a key.
var Anonymous = PerSecond(1, 10)
