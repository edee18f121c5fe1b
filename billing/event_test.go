package billing_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
	"github.com/rodata/rodata/testkit/stripeserver"
)

func TestSignature(t *testing.T) {
	h := one(t)
	about := map[string]string{"id": "in_1", "customer": "cus_1"}
	good := h.stripe.Sign("invoice.paid", about, time.Now())
	for name, c := range map[string]struct {
		e    stripeserver.Event
		want error
	}{
		"good": {good, nil},
		"of 10 min ago": {h.stripe.Sign("invoice.paid", about, time.Now().Add(-10*time.Minute)),
			customer.ErrBadSignature},
		"none": {stripeserver.Event{Payload: good.Payload}, customer.ErrBadSignature},
		"of other content": {stripeserver.Event{Payload: append(slices.Clone(good.Payload), ' '),
			Signature: good.Signature}, customer.ErrBadSignature},
		"of nothing": {stripeserver.Event{Signature: good.Signature}, customer.ErrBadSignature},
	} {
		testkit.ErrorIs(t, h.Receive(t.Context(), c.e.Payload, c.e.Signature), c.want, name)
	}

	unsigned := open(t, accountstore.Open(t), func(o *billing.Options) { o.WebhookSecret = "" })
	testkit.ErrorIs(t, unsigned.Receive(t.Context(), good.Payload, good.Signature), customer.ErrNoBilling,
		"without a secret")
}

// An unsigned event causes no call to the store or to Stripe.
func TestUnsignedEventsCostNothing(t *testing.T) {
	h := one(t)
	about := map[string]string{"id": "in_1", "customer": "cus_1"}
	good := h.stripe.Sign("invoice.paid", about, time.Now())
	h.Close() // so that only the events cause calls
	h.db.Close()
	h.stripe.Down(true)
	calls := len(h.stripe.Calls())
	for _, signature := range []string{"", "t=1,v1=00",
		h.stripe.Sign("invoice.paid", about, time.Now().Add(-time.Hour)).Signature} {
		testkit.ErrorIs(t, h.Receive(t.Context(), good.Payload, signature), customer.ErrBadSignature, "signed %q",
			signature)
	}

	testkit.ErrorIs(t, h.Receive(t.Context(), good.Payload, good.Signature), account.ErrStoreDown,
		"with a valid signature")
	testkit.Equal(t, len(h.stripe.Calls())-calls, 0, "calls to Stripe")
}

func TestSubscriptionDecidesThePlan(t *testing.T) {
	const updated, deleted = "customer.subscription.updated", "customer.subscription.deleted"
	for name, c := range map[string]struct {
		status, price, kind string
		want                string
	}{
		"another plan":      {"active", proPrice, updated, "pro"},
		"a plan of old":     {"active", "price_old", updated, "old"},
		"trial":             {"trialing", "", updated, "starter"},
		"overdue":           {"past_due", "", updated, "starter"},
		"unpaid":            {"unpaid", "", updated, "free"},
		"paused":            {"paused", "", "customer.subscription.paused", "free"},
		"never paid":        {"incomplete_expired", "", updated, "free"},
		"ended":             {"canceled", "", deleted, "free"},
		"of a failed event": {"canceled", "", "invoice.payment_failed", "free"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, h *house) {
				subscription := h.subscribe(t, "starter")
				e := h.stripe.Change(subscription, c.status, c.price, c.kind)
				for range 20 {
					h.send(t, e)
				}
				testkit.Equal(t, h.plan(t), c.want, "the plan")
			})
		})
	}
}

// Late and out-of-order events do no harm, because the state is read from Stripe.
func TestEventsInDisorder(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		url := testkit.Must(h.Checkout(t.Context(), h.account, "starter"))
		subscription, completed := h.stripe.Complete(url)
		created := h.stripe.Change(subscription, "active", "", "customer.subscription.created")
		updated := h.stripe.Change(subscription, "active", proPrice, "customer.subscription.updated")
		for _, e := range []stripeserver.Event{updated, created, completed} {
			h.send(t, e)
			testkit.Equal(t, h.plan(t), "pro", "the plan")
		}
	})
}

// A plan that an operator set stays until the subscription changes.
func TestPlanByHandStays(t *testing.T) {
	h := one(t)
	subscription := h.subscribe(t, "starter")
	testkit.NoError(t, h.db.SetPlan(t.Context(), h.account, "enterprise"))

	h.send(t, h.stripe.Change(subscription, "active", "", "customer.subscription.updated"))
	h.send(t, h.stripe.Change(subscription, "canceled", "", "customer.subscription.deleted"))
	testkit.Equal(t, h.plan(t), "enterprise", "the plan")
}

func TestGrace(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		subscription := h.subscribe(t, "starter")
		h.send(t, h.stripe.Change(subscription, "past_due", "", "customer.subscription.updated"))
		for _, step := range []struct {
			passes time.Duration
			want   string
		}{{71 * time.Hour, "starter"}, {time.Hour - time.Second, "starter"}, {2 * time.Second, "free"}} {
			h.pass(step.passes)
			h.reopen(t) // it checks at once
			if step.want == "free" {
				testkit.Until(t, "the plan is Free", func() bool { return h.plan(t) == "free" })
			}
			// An event in between does not restart the grace period.
			h.send(t, h.stripe.Change(subscription, "past_due", "", "invoice.payment_failed"))
			testkit.Equal(t, h.plan(t), step.want, "the plan after %s more", step.passes)
		}

		h.send(t, h.stripe.Change(subscription, "active", "", "customer.subscription.updated"))
		testkit.Equal(t, h.plan(t), "starter", "after it was paid the plan")
	})
}

// An event is refused while Stripe is down, and takes effect when it is delivered again.
func TestEventWhileStripeIsDown(t *testing.T) {
	h := one(t)
	subscription := h.subscribe(t, "starter")
	e := h.stripe.Change(subscription, "canceled", "", "customer.subscription.deleted")
	h.stripe.Down(true)
	down := (*customer.PaymentsDown)(nil)
	if err := h.Receive(t.Context(), e.Payload, e.Signature); !errors.As(err, &down) {
		t.Errorf("got %v", err)
	}

	h.stripe.Down(false)
	h.send(t, e)
	testkit.Equal(t, h.plan(t), "free", "the plan")
}

func TestEventsOfOthersAreNotOurs(t *testing.T) {
	h := one(t)
	about := map[string]string{"id": "in_1", "customer": "cus_of_another_shop", "payment_intent": "pi_1"}
	for _, kind := range []string{"invoice.paid", "customer.subscription.updated", "charge.refunded",
		"product.created"} {
		h.send(t, h.stripe.Sign(kind, about, time.Now()))
	}
	if due, err := h.store.NextDue(t.Context(), store.Payments); err != nil || !due.IsZero() {
		t.Errorf("work is due: %s, %v", due, err)
	}
}

func TestUnknownPrice(t *testing.T) {
	h := one(t)
	subscription := h.subscribe(t, "starter")
	e := h.stripe.Change(subscription, "active", "price_unheard_of", "customer.subscription.updated")
	if err := h.Receive(t.Context(), e.Payload, e.Signature); err == nil {
		t.Error("the event was accepted")
	}
	testkit.Equal(t, h.plan(t), "starter", "the plan")
}

// Deleting an account ends its subscription and its open checkouts.
func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		testkit.NoError(t, h.Cancel(t.Context(), h.account), "without a subscription")

		h.subscribe(t, "starter")
		h.stripe.Down(true)
		if err := h.Cancel(t.Context(), h.account); err == nil {
			t.Error("Cancel succeeded while Stripe was down")
		}

		h.stripe.Down(false)
		if err := h.Cancel(t.Context(), h.account); err != nil || h.stripe.Subscriptions() != 0 {
			t.Errorf("%d subscriptions are left, %v", h.stripe.Subscriptions(), err)
		}
	})
}

// If a checkout is completed after the account was closed, its subscription is canceled.
func TestClosedAccountDoesNotPay(t *testing.T) {
	h := one(t)
	url := testkit.Must(h.Checkout(t.Context(), h.account, "starter"))
	_, e := h.stripe.Complete(url)
	testkit.NoError(t, h.db.CloseAccount(t.Context(), h.account))

	h.send(t, e)
	testkit.Equal(t, h.stripe.Subscriptions(), 0, "subscriptions are left")
}
