package billing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/api"
)

// subscription is a subscription at Stripe.
type subscription struct {
	id      string
	status  stripe.SubscriptionStatus
	price   string // of its first item
	plan    string // the plan that was bought
	created int64
}

// rank orders the states of subscriptions, the most valuable first.
var rank = map[stripe.SubscriptionStatus]int{
	stripe.SubscriptionStatusActive: 5, stripe.SubscriptionStatusTrialing: 5, stripe.SubscriptionStatusPastDue: 4,
	stripe.SubscriptionStatusUnpaid: 3, stripe.SubscriptionStatusPaused: 3, stripe.SubscriptionStatusIncomplete: 2,
	stripe.SubscriptionStatusIncompleteExpired: 1, stripe.SubscriptionStatusCanceled: 1,
}

// live reports whether it has begun and can continue.
func (s subscription) live() bool { return rank[s.status] > rank[stripe.SubscriptionStatusIncomplete] }

// begins reports whether its first payment is pending, which lasts a day at most.
func (s subscription) begins() bool { return s.status == stripe.SubscriptionStatusIncomplete }

// choose returns the relevant subscription: the one with the highest rank, and among equals the oldest live one or the
// newest ended one. It returns the zero subscription if there is none.
func choose(all []subscription) (best subscription) {
	for _, s := range all {
		switch older := s.created < best.created; {
		case rank[s.status] > rank[best.status]:
			best = s
		case rank[s.status] == rank[best.status] && older == s.live():
			best = s
		}
	}

	return best
}

func (s *Stripe) subscriptions(ctx context.Context, customer string) ([]subscription, error) {
	subscriptions, err := all(ctx, s.client.V1Subscriptions.List(ctx, &stripe.SubscriptionListParams{
		ListParams: onePage(), Customer: stripe.String(customer), Status: stripe.String("all"),
	}), func(sub *stripe.Subscription) (subscription, bool) {
		found := subscription{id: sub.ID, status: sub.Status, plan: sub.Metadata["plan"], created: sub.Created}
		if sub.Items != nil && len(sub.Items.Data) > 0 && sub.Items.Data[0].Price != nil {
			found.price = sub.Items.Data[0].Price.ID
		}
		return found, sub.Customer != nil && sub.Customer.ID == customer
	})
	return subscriptions, failed("listing subscriptions", err)
}

func (s *Stripe) cancelSubscription(ctx context.Context, id string) error {
	_, err := s.client.V1Subscriptions.Cancel(ctx, id,
		&stripe.SubscriptionCancelParams{Prorate: stripe.Bool(false), InvoiceNow: stripe.Bool(false)})
	if refused(err, http.StatusNotFound) { // it has already ended
		return nil
	}
	return failed("canceling a subscription", err)
}

// attempts bounds the retries of an optimistic lock.
const attempts = 10

// sync updates a customer's stored subscription from Stripe. If event is not empty, the update is recorded as the
// effect of this event. Sync uses an optimistic lock: it reads Stripe after the row, so if several writers run
// concurrently, the last one reads Stripe again.
func (b *Billing) sync(ctx context.Context, event, customer string) error {
	for range attempts {
		before, err := b.o.Store.CustomerByID(ctx, customer)
		if errors.Is(err, api.ErrNoCustomer) {
			return nil // for another product sold through the same Stripe account
		}
		if err != nil {
			return down(err)
		}

		all, err := b.o.Stripe.subscriptions(ctx, customer)
		if err != nil {
			return err
		}

		after, err := b.judge(before, choose(all))
		if err != nil {
			return err
		}
		if err := b.endOrphans(ctx, before.Account, all); err != nil {
			return err
		}

		switch err := b.o.Store.SaveSubscription(ctx, event, before, after, b.o.DefaultPlan); {
		case errors.Is(err, ErrConflict):
			continue
		case errors.Is(err, ErrDuplicateEvent):
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

	return &api.PaymentsDown{RetryAfter: lockedRetry,
		Err: fmt.Errorf("syncing the subscription of customer %s: %w", customer, ErrConflict)}
}

// judge derives the plan that a subscription grants to a customer.
func (b *Billing) judge(before Customer, s subscription) (Customer, error) {
	after := before
	after.Subscription, after.Status = s.id, string(s.status)
	after.Plan, after.Granted, after.OverdueSince = "", "", time.Time{}
	if !s.live() {
		return after, nil
	}

	plan, err := b.planOf(s)
	if err != nil {
		return Customer{}, err
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
	if p := b.ofPrice(s.price); p != nil {
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
		if a.ClosedAt.IsZero() || !s.live() {
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

// Cancel ends an account's subscription immediately, when the account is deleted. It does nothing if there is no
// subscription. It returns a *api.PaymentsDown if Stripe does not respond, or an error that wraps account.ErrStoreDown.
func (b *Billing) Cancel(ctx context.Context, owner string) error {
	c, err := b.o.Store.Customer(ctx, owner)
	if errors.Is(err, api.ErrNoCustomer) {
		return nil
	}
	if err != nil {
		return down(err)
	}

	if b.o.Stripe == nil {
		if (subscription{status: stripe.SubscriptionStatus(c.Status)}).live() {
			return &api.PaymentsDown{RetryAfter: retryAfter, Err: api.ErrNoBilling}
		}
		return nil
	}

	open, err := b.o.Stripe.openSessions(ctx, c.ID)
	if err != nil {
		return err
	}

	for _, s := range open {
		if err := b.o.Stripe.expireSession(ctx, s.id); err != nil {
			return err
		}
	}

	all, err := b.o.Stripe.subscriptions(ctx, c.ID)
	if err != nil {
		return err
	}

	for _, s := range all {
		if !s.live() && !s.begins() {
			continue
		}
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
