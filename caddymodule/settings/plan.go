package settings

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/metering"
)

// CallRate is a caller's rate limit.
type CallRate struct {
	// PerSecond is the number of requests a second, at least 1.
	PerSecond int `json:"per_second"`
	// Burst is the number of requests at once, at least 1.
	Burst int `json:"burst"`
}

// Plan is one plan of the catalogue.
type Plan struct {
	// Code names the plan in requests: lower-case letters, digits and hyphens.
	Code string `json:"code"`
	// Name is the plan's display name. Default: the code, capitalised.
	Name string `json:"name,omitempty"`
	// Credits are the credits per calendar month (UTC); -1 means unlimited. Required.
	Credits *int64 `json:"credits"`
	// Rate is the rate limit of an account on the plan. Required.
	Rate CallRate `json:"rate"`
	// PriceCents is the monthly list price in euro cents, without VAT; 0 means a free plan. Default: no list price; it
	// is agreed with the customer.
	PriceCents *int64 `json:"price_cents,omitempty"`
	// Purchasable means that the plan can be bought by self-service checkout.
	Purchasable bool `json:"purchasable,omitempty"`
	// StripePrice is the id of the plan's monthly price at Stripe, price_.... It identifies the plan of a subscription,
	// so keep it while there are subscriptions. With a test key it may be missing; the list price in euro is used then.
	StripePrice string `json:"stripe_price,omitempty"`
	// Without lists the entitlements that the plan lacks: companies.read, companies.search. Default: none.
	Without []string `json:"without,omitempty"`
}

// rows are the plan's rows in a Caddyfile.
func (p *Plan) rows() option.Table {
	return option.Table{
		"name":         option.Text(&p.Name),
		"credits":      option.Value(&p.Credits, parseCredits),
		"rate":         option.Read(p.Rate.read),
		"price":        option.Value(&p.PriceCents, parseListPrice),
		"purchasable":  option.Flag(&p.Purchasable),
		"stripe_price": option.Text(&p.StripePrice),
		"without":      option.Words(&p.Without),
	}
}

// read reads the two numbers of a rate.
func (r *CallRate) read(d *caddyfile.Dispenser) error {
	name := d.Val()
	args := d.RemainingArgs()
	if len(args) != 2 {
		return d.Errf("%s needs two numbers: requests a second, and requests at once", name)
	}

	var errRate, errBurst error
	r.PerSecond, errRate = strconv.Atoi(args[0])
	r.Burst, errBurst = strconv.Atoi(args[1])
	if errRate != nil || errBurst != nil {
		return d.Errf("%s %s %s: want two whole numbers: requests a second, and requests at once", name,
			args[0], args[1])
	}
	if err := r.metering().Validate(); err != nil {
		return d.Errf("%s %s %s: %v", name, args[0], args[1], err)
	}

	return nil
}

func (r CallRate) metering() metering.Rate {
	return metering.PerSecond(r.PerSecond, r.Burst)
}

func parseCredits(s string) (*int64, error) {
	credits := int64(metering.Unlimited)
	if s != "unlimited" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is neither a whole number nor the word unlimited", s)
		}

		credits = n
	}

	return &credits, nil
}

var priceShape = regexp.MustCompile(`^([0-9]{1,9})(?:\.([0-9]{2}))?$`)

func parsePrice(s string) (cents int64, err error) {
	parts := priceShape.FindStringSubmatch(s)
	if parts == nil {
		return 0, fmt.Errorf("%q is not a price in euro such as 19 or 19.50", s)
	}
	return strconv.ParseInt(parts[1]+cmp.Or(parts[2], "00"), 10, 64)
}

func parseListPrice(s string) (*int64, error) {
	cents, err := parsePrice(s)
	return &cents, err
}

var planCode = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// metering returns the plan in the form of package metering.
func (p *Plan) metering() (metering.Plan, error) {
	switch {
	case !planCode.MatchString(p.Code):
		return metering.Plan{}, fmt.Errorf("plan %q: a code consists of lower-case letters, digits and hyphens", p.Code)
	case p.Credits == nil:
		return metering.Plan{}, fmt.Errorf("plan %s: credits is missing; set a number a month, or unlimited", p.Code)
	case *p.Credits < metering.Unlimited:
		return metering.Plan{}, fmt.Errorf("plan %s: %d credits: use a number from 0, or -1 for unlimited", p.Code,
			*p.Credits)
	}

	if err := p.Rate.metering().Validate(); err != nil {
		return metering.Plan{}, fmt.Errorf("plan %s: %w", p.Code, err)
	}

	plan := metering.Plan{
		Code: p.Code, Name: p.Name, MonthlyCredits: *p.Credits, Rate: p.Rate.metering(),
		PriceCents: p.PriceCents, Purchasable: p.Purchasable,
	}
	if plan.Name == "" {
		plan.Name = strings.ToUpper(p.Code[:1]) + p.Code[1:]
	}

	for _, name := range p.Without {
		e := metering.Entitlement(name)
		if e != metering.CompaniesRead && e != metering.CompaniesSearch {
			return metering.Plan{}, fmt.Errorf("plan %s: unknown entitlement %q; use %s or %s", p.Code, name,
				metering.CompaniesRead, metering.CompaniesSearch)
		}

		plan.Without = append(plan.Without, e)
	}

	return plan, nil
}

// catalogue returns the plans in the form of package metering; the default ones if none are configured.
func catalogue(plans []Plan) ([]metering.Plan, error) {
	if len(plans) == 0 {
		return metering.DefaultPlans(), nil
	}

	seen := make(map[string]bool)
	var all []metering.Plan
	for i := range plans {
		plan, err := plans[i].metering()
		if err != nil {
			return nil, err
		}
		if seen[plan.Code] {
			return nil, fmt.Errorf("plan %s is given twice", plan.Code)
		}

		seen[plan.Code] = true
		all = append(all, plan)
	}

	return all, nil
}
