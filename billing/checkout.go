package billing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
)

const (
	// checkoutTime bounds the creation of a checkout. Its lock lasts slightly longer, until every call has ended.
	checkoutTime = 40 * time.Second
	lockTime     = time.Minute
	// lockedRetry is the Retry-After while another checkout is being created.
	lockedRetry = 2 * time.Second
)

// Checkout returns the address of the page where an account buys a plan, or changes its subscription. An account never
// gets a second subscription: each checkout expires the earlier ones. The error is api.ErrNoBilling, api.ErrNotSold,
// account.ErrNoAccount, or wraps account.ErrStoreDown. It is a *api.PaymentsDown if Stripe does not answer, or while
// another checkout of the account is being created.
func (b *Billing) Checkout(ctx context.Context, owner, plan string) (string, error) {
	if b.o.Stripe == nil {
		return "", api.ErrNoBilling
	}

	p := b.product(plan)
	if p == nil || !p.Sold {
		return "", api.ErrNotSold
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
	case errors.Is(err, ErrLocked):
		return "", &api.PaymentsDown{RetryAfter: lockedRetry, Err: err}
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

// checkout finds or creates the page. The caller holds the account's checkout lock. It expires sessions before it reads
// subscriptions: if a session has just been completed, it cannot be expired, but its subscription is found.
func (b *Billing) checkout(ctx context.Context, c Customer, p *Product, held time.Time) (string, error) {
	open, err := b.o.Stripe.openSessions(ctx, c.ID)
	if err != nil {
		return "", err
	}

	same := ""
	for _, s := range open {
		if s.plan == p.Plan && s.url != "" && same == "" {
			same = s.url
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
	if best := choose(subscriptions); best.live() {
		return b.o.Stripe.portal(ctx, c.ID, b.o.ReturnURL, best.id)
	}

	for _, s := range subscriptions {
		if !s.begins() {
			continue
		}
		if err := b.o.Stripe.cancelSubscription(ctx, s.id); err != nil {
			return "", err
		}
	}

	if same != "" {
		return same, nil
	}

	return b.o.Stripe.createSession(ctx, b.sessionParams(c, p), key("checkout", c.ID, p.Plan, held.String()))
}

// customer finds or creates the customer of an account. It is stored before anything can be bought.
func (b *Billing) customer(ctx context.Context, owner string) (Customer, error) {
	c, err := b.o.Store.Customer(ctx, owner)
	if err == nil {
		return c, nil
	}
	if !errors.Is(err, api.ErrNoCustomer) {
		return Customer{}, down(err)
	}

	email := ""
	switch u, err := b.o.Accounts.UserOfAccount(ctx, owner); {
	case err == nil:
		email = u.Email
	case !errors.Is(err, account.ErrNoUser):
		return Customer{}, down(err)
	}

	id, err := b.o.Stripe.createCustomer(ctx, owner, email)
	if err != nil {
		return Customer{}, err
	}
	if err := b.o.Store.AddCustomer(ctx, owner, id); err != nil {
		return Customer{}, down(err)
	}

	c, err = b.o.Store.Customer(ctx, owner)
	return c, down(err)
}

// down wraps an error of the store, unless it is a documented one.
func down(err error) error {
	if err == nil || errors.Is(err, account.ErrNoAccount) || errors.Is(err, api.ErrNoCustomer) ||
		errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", account.ErrStoreDown, err)
}

// key derives an idempotency key from the parameters of a call.
func key(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

func (s *Stripe) createCustomer(ctx context.Context, owner, email string) (string, error) {
	params := &stripe.CustomerCreateParams{Metadata: map[string]string{"account": owner}}
	if email != "" {
		params.Email = stripe.String(email)
	}

	params.SetIdempotencyKey(key("customer", owner, email))
	c, err := s.client.V1Customers.Create(ctx, params)
	if err != nil {
		return "", failed("creating a customer", err)
	}

	return c.ID, nil
}

func (b *Billing) sessionParams(c Customer, p *Product) *stripe.CheckoutSessionCreateParams {
	about := map[string]string{"account": c.Account, "plan": p.Plan}
	item := &stripe.CheckoutSessionCreateLineItemParams{Quantity: stripe.Int64(1)}
	if p.Price != "" {
		item.Price = stripe.String(p.Price)
	} else {
		item.PriceData = &stripe.CheckoutSessionCreateLineItemPriceDataParams{
			Currency: stripe.String("eur"), UnitAmount: stripe.Int64(p.CentsMonthly),
			TaxBehavior: stripe.String("exclusive"),
			Recurring: &stripe.CheckoutSessionCreateLineItemPriceDataRecurringParams{
				Interval: stripe.String("month"),
			},
			ProductData: &stripe.CheckoutSessionCreateLineItemPriceDataProductDataParams{Name: stripe.String(p.Name)},
		}
	}

	return &stripe.CheckoutSessionCreateParams{
		Mode: stripe.String("subscription"), Customer: stripe.String(c.ID), ClientReferenceID: stripe.String(c.Account),
		LineItems:                []*stripe.CheckoutSessionCreateLineItemParams{item},
		SuccessURL:               stripe.String(b.o.ReturnURL),
		CancelURL:                stripe.String(b.o.ReturnURL),
		BillingAddressCollection: stripe.String("required"),
		TaxIDCollection:          &stripe.CheckoutSessionCreateTaxIDCollectionParams{Enabled: stripe.Bool(true)},
		CustomerUpdate: &stripe.CheckoutSessionCreateCustomerUpdateParams{Name: stripe.String("auto"),
			Address: stripe.String("auto")},
		AutomaticTax:     &stripe.CheckoutSessionCreateAutomaticTaxParams{Enabled: stripe.Bool(b.o.AutomaticTax)},
		SubscriptionData: &stripe.CheckoutSessionCreateSubscriptionDataParams{Metadata: about},
		Metadata:         about,
		Locale:           stripe.String("ro"),
	}
}

func (s *Stripe) createSession(ctx context.Context, params *stripe.CheckoutSessionCreateParams,
	idempotency string) (string, error) {
	params.SetIdempotencyKey(idempotency)
	session, err := s.client.V1CheckoutSessions.Create(ctx, params)
	if err != nil {
		return "", failed("creating a checkout", err)
	}

	return session.URL, nil
}

// session is a checkout that can still be completed.
type session struct{ id, plan, url string }

func (s *Stripe) openSessions(ctx context.Context, customer string) ([]session, error) {
	open, err := all(ctx, s.client.V1CheckoutSessions.List(ctx, &stripe.CheckoutSessionListParams{
		ListParams: onePage(), Customer: stripe.String(customer), Status: stripe.String("open"),
	}), func(c *stripe.CheckoutSession) (session, bool) {
		return session{c.ID, c.Metadata["plan"], c.URL}, c.Status == stripe.CheckoutSessionStatusOpen
	})
	return open, failed("listing open checkouts", err)
}

// expireSession expires a checkout. A completed one is left unchanged, because its subscription exists.
func (s *Stripe) expireSession(ctx context.Context, id string) error {
	_, err := s.client.V1CheckoutSessions.Expire(ctx, id, nil)
	if err == nil || !refused(err, http.StatusBadRequest) {
		return failed("expiring a checkout", err)
	}

	current, err := s.client.V1CheckoutSessions.Retrieve(ctx, id, nil)
	if err == nil && current.Status == stripe.CheckoutSessionStatusOpen {
		err = errors.New("Stripe refuses, and the checkout is still open")
	}

	return failed("expiring a checkout", err)
}
