package billing_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

// Every call is valid according to Stripe's API description, which stripe-mock enforces. stripe-mock keeps no state,
// and responds with examples.
func TestCallsAgreeWithStripe(t *testing.T) {
	url := os.Getenv("RODATA_TEST_STRIPE")
	if url == "" {
		t.Skip("no stripe-mock: RODATA_TEST_STRIPE names one, .ci/stripe-mock starts one")
	}

	h := open(t, accountstore.Open(t), func(o *billing.Options) {
		o.Stripe = connect(t, url, "sk_test_123")
		o.Products = append(o.Products, billing.Product{Plan: "priceless", Name: "Priceless", CentsMonthly: 900,
			Sold: true})
	})
	for _, plan := range []string{"starter", "priceless"} {
		page, err := h.Checkout(t.Context(), h.account, plan)
		if err != nil || !strings.HasPrefix(page, "https://checkout.stripe.com/") {
			t.Errorf("the checkout of %s is at %q, %v", plan, page, err)
		}
	}

	if page, err := h.Portal(t.Context(), h.account); err != nil || !strings.HasPrefix(page, "https://") {
		t.Errorf("the portal is at %q, %v", page, err)
	}

	c := testkit.Must(h.store.Customer(t.Context(), h.account))
	about := map[string]string{"id": "sub_1", "customer": c.ID, "payment_intent": "pi_1"}
	for _, kind := range []string{"customer.subscription.updated", "charge.refunded", "refund.failed"} {
		h.send(t, h.stripe.Sign(kind, about, time.Now()))
	}
	testkit.NoError(t, h.store.NotePayment(t.Context(), "", store.Payment{ID: "in_1", Account: h.account},
		h.now()))

	h.reopen(t)
	h.awaitIdle(t, store.Payments) // if there were a problem, it would be due again
	testkit.NoError(t, h.Cancel(t.Context(), h.account))
}
