package billing

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing/store"
)

const (
	// checkoutTime bounds the creation of a checkout. Its lock lasts slightly longer, until every call has ended.
	checkoutTime = 40 * time.Second
	lockTime     = time.Minute
	// lockedRetry is the Retry-After while another checkout is being created.
	lockedRetry = 2 * time.Second
)

// Checkout returns the address of the page where an account buys a plan, or changes its subscription. An account never
// gets a second subscription: each checkout expires the earlier ones. The error is customer.ErrNoBilling,
// customer.ErrNotSold, account.ErrNoAccount, or wraps account.ErrStoreDown. It is a *customer.PaymentsDown if Stripe
// does not answer, or while another checkout of the account is being created.
func (b *Billing) Checkout(ctx context.Context, owner, plan string) (string, error) {
	if b.o.Stripe == nil {
		return "", customer.ErrNoBilling
	}

	p := b.product(plan)
	if p == nil || !p.Sold {
		return "", customer.ErrNotSold
	}

	ctx, cancel := context.WithTimeout(ctx, checkoutTime)
	defer cancel()
	c, err := b.customer(ctx, owner)
	if err != nil {
		return "", err
	}

	now := b.o.Now()
	until := now.Add(lockTime)
	switch err := b.o.Store.LockCheckout(ctx, owner, now, until); {
	case errors.Is(err, store.ErrLocked):
		return "", &customer.PaymentsDown{RetryAfter: lockedRetry, Err: err}
	case err != nil:
		return "", down(err)
	}
	defer func() {
		// If releasing the lock fails, it expires.
		if err := b.o.Store.UnlockCheckout(context.WithoutCancel(ctx), owner, until); err != nil {
			b.o.Logger.Warn("releasing the lock of a checkout failed; it expires within a minute", "account", owner,
				"error", err)
		}
	}()

	return b.checkout(ctx, c, p, until)
}

// checkout finds or creates the page. The caller holds the account's checkout lock until the given time. Sessions are
// expired before subscriptions are read: if a session has just been completed, it cannot be expired, but its
// subscription is found.
func (b *Billing) checkout(ctx context.Context, c store.Customer, p *Product, until time.Time) (string, error) {
	open, err := b.o.Stripe.openSessions(ctx, c.ID)
	if err != nil {
		return "", err
	}

	reusable := ""
	for _, s := range open {
		if s.plan == p.Plan && s.url != "" && reusable == "" {
			reusable = s.url
			continue
		}
		if err := b.o.Stripe.expireSession(ctx, s.id); err != nil {
			return "", err
		}
	}

	subscriptions, err := b.o.Stripe.subscriptions(ctx, c.ID)
	if err != nil {
		return "", err
	}
	if best := choose(subscriptions); best.isLive() {
		return b.o.Stripe.portal(ctx, c.ID, b.o.ReturnURL, best.id)
	}

	for _, s := range subscriptions {
		if !s.isIncomplete() {
			continue
		}
		if err := b.o.Stripe.cancelSubscription(ctx, s.id); err != nil {
			return "", err
		}
	}

	if reusable != "" {
		return reusable, nil
	}

	params := b.sessionParams(c, p)
	params.SetIdempotencyKey(idempotencyKey("checkout", c.ID, p.Plan, until.String()))
	return b.o.Stripe.createSession(ctx, params)
}
