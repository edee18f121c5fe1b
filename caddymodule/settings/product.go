package settings

import (
	"errors"
	"fmt"

	"github.com/rodata/rodata/billing"
)

// Products returns the plans that are sold now, or were sold before.
func (s *Settings) Products() []billing.Product {
	var all []billing.Product
	for i, p := range s.catalogue {
		product := billing.Product{Plan: p.Code, Name: p.Name, Sold: p.Purchasable}
		if p.PriceCents != nil {
			product.CentsMonthly = *p.PriceCents
		}
		if len(s.Plans) > 0 {
			product.Price = s.Plans[i].StripePrice
		}
		if product.Sold || product.Price != "" {
			all = append(all, product)
		}
	}

	return all
}

// checkPrices rejects two plans with the same price at Stripe.
func checkPrices(plans []Plan) error {
	planOf := make(map[string]string)
	for _, p := range plans {
		if other, taken := planOf[p.StripePrice]; taken && p.StripePrice != "" {
			return fmt.Errorf("the plans %s and %s have the same stripe_price; give each its own", other, p.Code)
		}
		planOf[p.StripePrice] = p.Code
	}

	return nil
}

// checkSold rejects a catalogue without a purchasable plan, or with a purchasable plan that has no price at Stripe.
func checkSold(plans []Plan) error {
	sold := false
	for _, p := range plans {
		if p.Purchasable && p.StripePrice == "" {
			return fmt.Errorf("plan %s is purchasable but has no stripe_price: create a monthly price at Stripe, "+
				"also in RON for customers in Romania, and set its id", p.Code)
		}

		sold = sold || p.Purchasable
	}

	if !sold {
		return errors.New("no plan can be bought with the live stripe_key: configure the plans, with the " +
			"stripe_price of those that are purchasable")
	}

	return nil
}
