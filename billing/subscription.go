package billing

import (
	"context"
	"errors"
	"net/http"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/api/customer"
)

type subscription struct {
	id      string
	status  stripe.SubscriptionStatus
	price   string // of its first item
	plan    string // the plan that was bought
	created int64
}

// rank orders the statuses of subscriptions by their value to the customer.
var rank = map[stripe.SubscriptionStatus]int{
	stripe.SubscriptionStatusActive: 5, stripe.SubscriptionStatusTrialing: 5, stripe.SubscriptionStatusPastDue: 4,
	stripe.SubscriptionStatusUnpaid: 3, stripe.SubscriptionStatusPaused: 3, stripe.SubscriptionStatusIncomplete: 2,
	stripe.SubscriptionStatusIncompleteExpired: 1, stripe.SubscriptionStatusCanceled: 1,
}

// isLive reports whether it has started and has not ended.
func (s subscription) isLive() bool {
	return rank[s.status] > rank[stripe.SubscriptionStatusIncomplete]
}

// isIncomplete reports whether its first payment is pending, which lasts a day at most.
func (s subscription) isIncomplete() bool { return s.status == stripe.SubscriptionStatusIncomplete }

// choose returns the relevant subscription: the one with the highest rank, and among equals the oldest live one or the
// newest ended one. It returns the zero subscription if there is none.
func choose(all []subscription) (best subscription) {
	for _, s := range all {
		switch older := s.created < best.created; {
		case rank[s.status] > rank[best.status]:
			best = s
		case rank[s.status] == rank[best.status] && older == s.isLive():
			best = s
		}
	}

	return best
}

func (s *Stripe) subscriptions(ctx context.Context, customer string) ([]subscription, error) {
	subscriptions, err := collect(ctx, s.client.V1Subscriptions.List(ctx, &stripe.SubscriptionListParams{
		ListParams: onePage(), Customer: stripe.String(customer), Status: stripe.String("all"),
	}), func(sub *stripe.Subscription) (subscription, bool) {
		found := subscription{id: sub.ID, status: sub.Status, plan: sub.Metadata["plan"], created: sub.Created}
		if sub.Items != nil && len(sub.Items.Data) > 0 && sub.Items.Data[0].Price != nil {
			found.price = sub.Items.Data[0].Price.ID
		}
		return found, sub.Customer != nil && sub.Customer.ID == customer
	})
	return subscriptions, wrapFailure("listing subscriptions", err)
}

func (s *Stripe) cancelSubscription(ctx context.Context, id string) error {
	_, err := s.client.V1Subscriptions.Cancel(ctx, id,
		&stripe.SubscriptionCancelParams{Prorate: stripe.Bool(false), InvoiceNow: stripe.Bool(false)})
	if hasStatus(err, http.StatusNotFound) { // it has already ended
		return nil
	}
	return wrapFailure("canceling a subscription", err)
}

// Cancel ends an account's subscription immediately, when the account is deleted. It does nothing if there is no
// subscription. It returns a *customer.PaymentsDown if Stripe does not respond, or an error that wraps
// account.ErrStoreDown.
func (b *Billing) Cancel(ctx context.Context, owner string) error {
	c, err := b.o.Store.Customer(ctx, owner)
	if errors.Is(err, customer.ErrNoCustomer) {
		return nil
	}
	if err != nil {
		return down(err)
	}

	if b.o.Stripe == nil {
		if (subscription{status: stripe.SubscriptionStatus(c.Status)}).isLive() {
			return &customer.PaymentsDown{RetryAfter: retryAfter, Err: customer.ErrNoBilling}
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
		if !s.isLive() && !s.isIncomplete() {
			continue
		}
		if err := b.o.Stripe.cancelSubscription(ctx, s.id); err != nil {
			return err
		}
	}

	return nil
}
