package billing_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

func TestCheckoutThenPlan(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.subscribe(t, "starter")
		c, err := h.store.Customer(t.Context(), h.account)
		if err != nil || c.Status != "active" || c.Plan != "starter" || c.Granted != "starter" {
			t.Errorf("got %+v, %v", c, err)
		}
	})
}

// An account never gets a second subscription, however often and for whichever plans it visits the checkout.
func TestOneSubscription(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		var mu sync.Mutex
		var urls []string
		var wg sync.WaitGroup
		for n := range 20 {
			wg.Go(func() {
				url, err := h.Checkout(t.Context(), h.account, []string{"starter", "pro"}[n%2])
				if down := (*customer.PaymentsDown)(nil); err != nil &&
					(!errors.As(err, &down) || !errors.Is(err, store.ErrLocked)) {
					t.Error(err)
				}

				mu.Lock()
				defer mu.Unlock()
				urls = append(urls, url)
			})
		}

		wg.Wait()
		for _, url := range urls {
			if url != "" {
				h.stripe.Complete(url)
			}
		}

		if n := h.stripe.Subscriptions(); n != 1 {
			t.Fatalf("there are %d subscriptions", n)
		}
		// The event has not arrived yet, and the customer still cannot pay twice.
		url, err := h.Checkout(t.Context(), h.account, "pro")
		if err != nil || !strings.HasSuffix(url, "/subscription_update") {
			t.Errorf("with a subscription, the checkout is at %s, %v", url, err)
		}
	})
}

func TestCheckoutAgain(t *testing.T) {
	h := one(t)
	checkout := func(plan string) string {
		t.Helper()
		return testkit.Must(h.Checkout(t.Context(), h.account, plan))
	}
	first := checkout("starter")
	testkit.Equal(t, checkout("starter"), first, "the checkout of the same plan again")

	checkout("pro")
	if again := checkout("starter"); again == first {
		t.Error("it leads to an expired page")
	}
	if _, e := h.stripe.Complete(first); e.ID != "" {
		t.Error("the first page still accepts a payment")
	}
	testkit.Equal(t, len(slices.DeleteFunc(h.stripe.Calls(), func(c string) bool { return c != "POST /v1/customers" })),
		1, "customers were created")
}

func TestCheckoutRefused(t *testing.T) {
	h := one(t)
	none := open(t, accountstore.Open(t), func(o *billing.Options) { o.Stripe = nil })
	h.stripe.Down(true)
	for name, c := range map[string]struct {
		house *house
		owner string
		plan  string
		want  error
	}{
		"not configured":   {none, none.account, "starter", customer.ErrNoBilling},
		"unknown plan":     {h, h.account, "platinum", customer.ErrNotSold},
		"no longer sold":   {h, h.account, "old", customer.ErrNotSold},
		"Stripe is down":   {h, h.account, "starter", nil},
		"unknown customer": {h, h.account, "", customer.ErrNotSold},
	} {
		_, err := c.house.Checkout(t.Context(), c.owner, c.plan)
		down := (*customer.PaymentsDown)(nil)
		switch {
		case c.want != nil && !errors.Is(err, c.want):
			t.Errorf("%s: got %v", name, err)
		case c.want == nil && (!errors.As(err, &down) || down.RetryAfter <= 0):
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPortal(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		testkit.ErrorIs(t, testkit.Err(h.Portal(t.Context(), h.account)), customer.ErrNoCustomer, "without a customer")

		h.subscribe(t, "pro")
		if url, err := h.Portal(t.Context(), h.account); err != nil ||
			!strings.HasPrefix(url, "https://billing.stripe.example/") {
			t.Errorf("got %s, %v", url, err)
		}
	})
}

func TestStripeOptions(t *testing.T) {
	for name, c := range map[string]struct {
		o    billing.StripeOptions
		want string
	}{
		"publishable key": {billing.StripeOptions{Key: "pk_live_hush"}, "sk_ or rk_"},
		"unencrypted":     {billing.StripeOptions{Key: "sk_live_hush", URL: "http://stripe.example"}, "not encrypted"},
		"no address":      {billing.StripeOptions{Key: "sk_live_hush", URL: "stripe"}, "not a plain URL"},
	} {
		_, err := billing.NewStripe(c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
