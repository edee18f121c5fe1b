package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing/store"
)

const attempts = 10

// sync updates a customer's stored subscription from Stripe. If event is not empty, the update is recorded as the
// effect of this event. sync uses an optimistic lock: it reads Stripe after the row, so if several writers run
// concurrently, the last one reads Stripe again.
func (b *Billing) sync(ctx context.Context, event, c string) error {
	for range attempts {
		before, err := b.o.Store.CustomerByID(ctx, c)
		if errors.Is(err, customer.ErrNoCustomer) {
			return nil // for another product sold through the same Stripe account
		}
		if err != nil {
			return down(err)
		}

		all, err := b.o.Stripe.subscriptions(ctx, c)
		if err != nil {
			return err
		}

		after, err := b.apply(before, choose(all))
		if err != nil {
			return err
		}
		if err := b.endOrphans(ctx, before.Account, all); err != nil {
			return err
		}

		switch err := b.o.Store.SaveSubscription(ctx, event, before, after, b.o.DefaultPlan); {
		case errors.Is(err, store.ErrConflict):
			continue
		case errors.Is(err, store.ErrDuplicateEvent):
			return nil
		case err != nil:
			return down(err)
		}

		if before.Granted != after.Granted {
			b.o.Logger.Info("the plan was changed by a subscription", "account", after.Account, "plan", after.Granted,
				"was", before.Granted, "status", after.Status)
		}

		return nil
	}

	return &customer.PaymentsDown{RetryAfter: lockedRetry,
		Err: fmt.Errorf("syncing the subscription of customer %s: %w", c, store.ErrConflict)}
}

// apply returns the customer after the change of its subscription to s, with the plan that s grants.
func (b *Billing) apply(before store.Customer, s subscription) (store.Customer, error) {
	after := before
	after.Subscription, after.Status = s.id, string(s.status)
	after.Plan, after.Granted, after.OverdueSince = "", "", time.Time{}
	if !s.isLive() {
		return after, nil
	}

	plan, err := b.planOf(s)
	if err != nil {
		return store.Customer{}, err
	}

	after.Plan = plan
	switch s.status {
	case stripe.SubscriptionStatusActive, stripe.SubscriptionStatusTrialing:
		after.Granted = plan
	case stripe.SubscriptionStatusPastDue:
		after.OverdueSince = before.OverdueSince
		if before.OverdueSince.IsZero() || before.Subscription != s.id {
			after.OverdueSince = b.o.Now()
		}
		if b.o.Now().Sub(after.OverdueSince) < b.o.Grace {
			after.Granted = plan
		}
	}

	return after, nil
}

// planOf returns the plan of a subscription: by its price, which the portal may have changed, or else the plan that was
// bought.
func (b *Billing) planOf(s subscription) (string, error) {
	if p := b.productByPrice(s.price); p != nil {
		return p.Plan, nil
	}
	if p := b.product(s.plan); p != nil && p.Price == "" {
		return p.Plan, nil
	}
	return "", fmt.Errorf("subscription %s has the price %s, which belongs to no plan: set it as a plan's stripe_price",
		s.id, s.price)
}

// endOrphans cancels the subscriptions of a closed account that were completed in a checkout still open when it closed.
func (b *Billing) endOrphans(ctx context.Context, owner string, all []subscription) error {
	a, err := b.o.Accounts.Account(ctx, owner)
	if err != nil {
		return down(err)
	}

	for _, s := range all {
		if a.ClosedAt.IsZero() || !s.isLive() {
			continue
		}

		b.o.Logger.Warn("canceling the subscription of a closed account; refund what was paid for it", "account", owner,
			"subscription", s.id)
		if err := b.o.Stripe.cancelSubscription(ctx, s.id); err != nil {
			return err
		}
	}

	return nil
}

// endGrace withdraws the plan from customers whose payment has been overdue for longer than the grace period.
func (b *Billing) endGrace(ctx context.Context) error {
	overdue, err := b.o.Store.Overdue(ctx, b.o.Now().Add(-b.o.Grace).Add(time.Millisecond))
	for _, c := range overdue {
		err = errors.Join(err, b.sync(ctx, "", c.ID))
	}
	return err
}
