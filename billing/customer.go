package billing

import (
	"context"
	"errors"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing/store"
)

// customer finds or creates the customer of an account. It is stored before anything can be bought.
func (b *Billing) customer(ctx context.Context, owner string) (store.Customer, error) {
	c, err := b.o.Store.Customer(ctx, owner)
	if err == nil {
		return c, nil
	}
	if !errors.Is(err, customer.ErrNoCustomer) {
		return store.Customer{}, down(err)
	}

	email := ""
	switch u, err := b.o.Accounts.UserOfAccount(ctx, owner); {
	case err == nil:
		email = u.Email
	case !errors.Is(err, account.ErrNoUser):
		return store.Customer{}, down(err)
	}

	id, err := b.o.Stripe.createCustomer(ctx, owner, email)
	if err != nil {
		return store.Customer{}, err
	}
	if err := b.o.Store.AddCustomer(ctx, owner, id); err != nil {
		return store.Customer{}, down(err)
	}

	c, err = b.o.Store.Customer(ctx, owner)
	return c, down(err)
}

func (s *Stripe) createCustomer(ctx context.Context, owner, email string) (string, error) {
	params := &stripe.CustomerCreateParams{Metadata: map[string]string{"account": owner}}
	if email != "" {
		params.Email = stripe.String(email)
	}

	params.SetIdempotencyKey(idempotencyKey("customer", owner, email))
	c, err := s.client.V1Customers.Create(ctx, params)
	if err != nil {
		return "", wrapFailure("creating a customer", err)
	}

	return c.ID, nil
}
