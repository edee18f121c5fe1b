package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/internal/database"
)

// The errors of changes.
var (
	// ErrConflict: the row was changed in the meantime.
	ErrConflict = errors.New("it was changed in the meantime")
	// ErrLocked: another checkout of the account is being created.
	ErrLocked = errors.New("another checkout of the account is being created")
)

// Customer is an account that has been to the checkout.
type Customer struct {
	Account string
	// ID is Stripe's ID of the customer.
	ID string
	// Subscription is the ID of the subscription at Stripe, and Status its state there. Both are empty if there has
	// been no subscription.
	Subscription, Status string
	// Plan is the code of the subscription's plan.
	Plan string
	// Granted is the code of the plan that the account has through the subscription. It is empty if there is none.
	Granted string
	// OverdueSince is the time at which a payment became overdue. It is zero if no payment is overdue.
	OverdueSince time.Time
	// Revision counts the changes, for the optimistic lock.
	Revision int64
}

const customerQuery = `SELECT account_id AS account, stripe_id AS id, subscription_id AS subscription, status, plan,
	granted, overdue_since, revision FROM customers `

// Customer finds the customer of an account. It returns customer.ErrNoCustomer if the account has none.
func (s *Store) Customer(ctx context.Context, owner string) (Customer, error) {
	return s.findCustomer(ctx, customerQuery+`WHERE account_id = $1`, owner)
}

// CustomerByID finds a customer by Stripe's ID. It returns customer.ErrNoCustomer if there is none.
func (s *Store) CustomerByID(ctx context.Context, id string) (Customer, error) {
	return s.findCustomer(ctx, customerQuery+`WHERE stripe_id = $1`, id)
}

func (s *Store) findCustomer(ctx context.Context, query, value string) (Customer, error) {
	// Read over the writer's connection, to get the latest revision.
	return database.One[Customer](ctx, s.db.Writer, "reading customer "+value, customer.ErrNoCustomer, query,
		value)
}

// AddCustomer adds the customer of an open account. An existing customer stays unchanged.
func (s *Store) AddCustomer(ctx context.Context, owner, id string) error {
	err := s.db.Transact(ctx, func(tx *sql.Tx) error {
		return cmp.Or(accounts.LockAccount(ctx, tx, owner), database.Exec(ctx, tx,
			`INSERT INTO customers (account_id, stripe_id, subscription_id, status, plan, granted, held_until, revision)
			 VALUES ($1, $2, '', '', '', '', 0, 1) ON CONFLICT (account_id) DO NOTHING`, owner, id))
	})
	return database.Wrap("making account "+owner+" customer "+id, err)
}

// LockCheckout locks the checkout of an account until a time. It returns ErrLocked while the checkout is locked.
func (s *Store) LockCheckout(ctx context.Context, owner string, now, until time.Time) error {
	err := database.ChangeOne(ctx, s.db.Writer, ErrLocked,
		`UPDATE customers SET held_until = $1 WHERE account_id = $2 AND held_until <= $3`, until.UnixMilli(), owner,
		now.UnixMilli())
	return database.Wrap("locking the checkout of account "+owner, err)
}

// UnlockCheckout releases the lock of LockCheckout early.
func (s *Store) UnlockCheckout(ctx context.Context, owner string, until time.Time) error {
	err := database.Exec(ctx, s.db.Writer,
		`UPDATE customers SET held_until = 0 WHERE account_id = $1 AND held_until = $2`, owner, until.UnixMilli())
	return database.Wrap("unlocking the checkout of account "+owner, err)
}

// SaveSubscription replaces the stored subscription of a customer, under an optimistic lock. If Granted changes, so
// does the account's plan. It becomes the granted plan. If no plan is granted any more, it becomes the plan
// fallback, unless the account no longer has the plan that was granted before. Unless event is empty,
// SaveSubscription records the event as handled. It returns ErrConflict if the customer was changed in the
// meantime, and ErrDuplicateEvent if the event was handled before.
func (s *Store) SaveSubscription(ctx context.Context, event string, before, after Customer,
	fallback string) error {
	err := s.db.ChangeAccount(ctx, after.Account, func(tx *sql.Tx) error {
		return cmp.Or(
			takeEvent(ctx, tx, event, time.Now()),
			database.ChangeOne(ctx, tx, ErrConflict,
				`UPDATE customers SET subscription_id = $1, status = $2, plan = $3, granted = $4, overdue_since = $5,
					revision = revision + 1
				 WHERE account_id = $6 AND revision = $7`,
				after.Subscription, after.Status, after.Plan, after.Granted, database.OrNull(after.OverdueSince),
				after.Account, before.Revision),
			changePlan(ctx, tx, before, after, fallback))
	})
	return database.Wrap("writing the subscription of account "+after.Account, err)
}

// changePlan gives a customer's account the newly granted plan. When the subscription ends, the account keeps a plan
// that it got in another way.
func changePlan(ctx context.Context, tx *sql.Tx, before, after Customer, fallback string) (err error) {
	switch after.Granted {
	case before.Granted:
	case "":
		err = database.Exec(ctx, tx, `UPDATE accounts SET plan = $1 WHERE id = $2 AND plan = $3 AND closed_at IS NULL`,
			fallback, after.Account, before.Granted)
	default:
		err = database.Exec(ctx, tx, `UPDATE accounts SET plan = $1 WHERE id = $2 AND closed_at IS NULL`,
			after.Granted, after.Account)
	}

	return err
}

// Overdue returns the customers with a granted plan and a payment that has been overdue since before a time.
func (s *Store) Overdue(ctx context.Context, before time.Time) ([]Customer, error) {
	return database.All[Customer](ctx, s.db.Reader, "listing overdue customers",
		customerQuery+`WHERE overdue_since < $1 AND granted <> ''`, before.UnixMilli())
}
