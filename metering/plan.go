package metering

import "fmt"

// Plan is what a caller may do in a month and in a second.
type Plan struct {
	// Code names the plan in requests and configuration: lower case.
	Code string
	// Name is how people see it.
	Name string
	// MonthlyCredits are the credits of a calendar month in UTC; Unlimited is
	// no limit.
	MonthlyCredits int64
	// Rate is how often its holders may call.
	Rate Rate
	// PriceCents is the list price in euro cents a month, without VAT: 0 for a plan
	// that is free, nil for one whose price is not listed but agreed.
	PriceCents *int64
	// Purchasable says that the plan can be bought without talking to anyone.
	Purchasable bool
	// Without lists the entitlements that the plan does not have; plans have
	// all others.
	Without []Entitlement
}

// Unlimited is the number of monthly credits of a plan without a limit.
const Unlimited = -1

// Entitlement is a right to a group of operations.
type Entitlement string

// The entitlements that operations ask for.
const (
	CompaniesRead   Entitlement = "companies.read"
	CompaniesSearch Entitlement = "companies.search"
)

// Includes reports whether the plan has an entitlement.
func (p *Plan) Includes(e Entitlement) bool {
	for _, without := range p.Without {
		if without == e {
			return false
		}
	}
	return true
}

// Rate is a token bucket: so many requests a second, and so many at once.
type Rate struct {
	PerSecond int
	Burst     int
}

// maxRate is the most that a rate may have of either, far beyond what one process
// can answer.
const maxRate = 1_000_000

// Valid reports whether anyone can ever call at the rate, and whether it can be
// reckoned with.
func (r Rate) Valid() error {
	if r.PerSecond < 1 || r.Burst < 1 {
		return fmt.Errorf("a rate needs at least 1 request a second and a burst of at least 1, not %d and %d", r.PerSecond, r.Burst)
	}
	if r.PerSecond > maxRate || r.Burst > maxRate {
		return fmt.Errorf("a rate has at most %d requests a second and a burst of at most that, not %d and %d", maxRate, r.PerSecond, r.Burst)
	}
	return nil
}

// DefaultPlans is the catalogue of an installation that configures none.
func DefaultPlans() []Plan {
	return []Plan{
		{Code: "free", Name: "Free", MonthlyCredits: 100, Rate: Rate{2, 10}, PriceCents: new(int64(0))},
		{Code: "starter", Name: "Starter", MonthlyCredits: 5_000, Rate: Rate{5, 20}, PriceCents: new(int64(19_00)), Purchasable: true},
		{Code: "pro", Name: "Pro", MonthlyCredits: 50_000, Rate: Rate{20, 60}, PriceCents: new(int64(79_00)), Purchasable: true},
		{Code: "enterprise", Name: "Enterprise", MonthlyCredits: Unlimited, Rate: Rate{100, 300}},
	}
}

// Anonymous is the default rate of a caller without a key, for each address.
var Anonymous = Rate{PerSecond: 1, Burst: 10}
