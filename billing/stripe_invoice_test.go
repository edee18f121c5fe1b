package billing

import (
	"testing"

	"github.com/stripe/stripe-go/v85"
)

// An invoice waits while any VAT number of the customer is being verified, unless another one has been verified.
func TestInvoiceWaitsForVerification(t *testing.T) {
	const (
		pending  = stripe.TaxIDVerificationStatusPending
		refused  = stripe.TaxIDVerificationStatusUnverified
		verified = stripe.TaxIDVerificationStatusVerified
	)

	for name, test := range map[string]struct {
		first, second  stripe.TaxIDVerificationStatus
		vatID, company string
		waits          bool
	}{
		"pending, refused":  {pending, refused, "", "DE1", true},
		"refused, pending":  {refused, pending, "", "DE1", true},
		"pending, verified": {pending, verified, "DE2", "DE1", false},
		"refused, refused":  {refused, refused, "", "DE1", false},
	} {
		kind := stripe.TaxIDTypeEUVAT
		c, waits := customerOf(&stripe.Invoice{
			CustomerTaxIDs: []*stripe.InvoiceCustomerTaxID{{Type: &kind, Value: "DE1"}, {Type: &kind, Value: "DE2"}},
			Customer: &stripe.Customer{TaxIDs: &stripe.TaxIDList{Data: []*stripe.TaxID{
				{Value: "DE1", Verification: &stripe.TaxIDVerification{Status: test.first}},
				{Value: "DE2", Verification: &stripe.TaxIDVerification{Status: test.second}},
			}}},
		})
		if c.VATID != test.vatID || c.RegistrationID != test.company || waits != test.waits {
			t.Errorf("%s: %+v, waits: %v", name, c, waits)
		}
	}
}
