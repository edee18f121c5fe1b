package store

import (
	"context"
	"database/sql"
	"time"

	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/internal/database"
)

const customerQuery = `SELECT account_id AS account, stripe_id AS id, subscription_id AS subscription, status, plan,
	granted, overdue_since, revision FROM customers `

// Customer implements billing.Store.
func (s *Store) Customer(ctx context.Context, owner string) (billing.Customer, error) {
	return s.findCustomer(ctx, customerQuery+`WHERE account_id = $1`, owner)
}

// CustomerByID implements billing.Store.
func (s *Store) CustomerByID(ctx context.Context, id string) (billing.Customer, error) {
	return s.findCustomer(ctx, customerQuery+`WHERE stripe_id = $1`, id)
}

func (s *Store) findCustomer(ctx context.Context, query, value string) (billing.Customer, error) {
	// Read over the writer's connection, to get the latest revision.
	return database.One[billing.Customer](ctx, s.db.Writer, "reading customer "+value, customer.ErrNoCustomer, query,
		value)
}

// AddCustomer implements billing.Store.
func (s *Store) AddCustomer(ctx context.Context, owner, id string) error {
	err := s.db.Transact(ctx, func(tx *sql.Tx) error {
		if err := accounts.LockAccount(ctx, tx, owner); err != nil {
			return err
		}
		return database.Exec(ctx, tx,
			`INSERT INTO customers (account_id, stripe_id, subscription_id, status, plan, granted, held_until, revision)
			 VALUES ($1, $2, '', '', '', '', 0, 1) ON CONFLICT (account_id) DO NOTHING`, owner, id)
	})
	return database.Wrap("making account "+owner+" customer "+id, err)
}

// LockCheckout implements billing.Store.
func (s *Store) LockCheckout(ctx context.Context, owner string, now, until time.Time) error {
	err := database.ChangeOne(ctx, s.db.Writer, billing.ErrLocked,
		`UPDATE customers SET held_until = $1 WHERE account_id = $2 AND held_until <= $3`, until.UnixMilli(), owner,
		now.UnixMilli())
	return database.Wrap("locking the checkout of account "+owner, err)
}

// UnlockCheckout implements billing.Store.
func (s *Store) UnlockCheckout(ctx context.Context, owner string, until time.Time) error {
	err := database.Exec(ctx, s.db.Writer,
		`UPDATE customers SET held_until = 0 WHERE account_id = $1 AND held_until = $2`, owner, until.UnixMilli())
	return database.Wrap("unlocking the checkout of account "+owner, err)
}

// SaveSubscription implements billing.Store.
func (s *Store) SaveSubscription(ctx context.Context, event string, before, after billing.Customer,
	fallback string) error {
	err := s.db.ChangeAccount(ctx, after.Account, func(tx *sql.Tx) error {
		if err := takeEvent(ctx, tx, event, time.Now()); err != nil {
			return err
		}

		if err := database.ChangeOne(ctx, tx, billing.ErrConflict,
			`UPDATE customers SET subscription_id = $1, status = $2, plan = $3, granted = $4, overdue_since = $5,
				revision = revision + 1
			 WHERE account_id = $6 AND revision = $7`,
			after.Subscription, after.Status, after.Plan, after.Granted, database.OrNull(after.OverdueSince),
			after.Account, before.Revision); err != nil {
			return err
		}

		return changePlan(ctx, tx, before, after, fallback)
	})
	return database.Wrap("writing the subscription of account "+after.Account, err)
}

// changePlan gives a customer's account the newly granted plan. When the subscription ends, the account keeps a plan
// that it got in another way.
func changePlan(ctx context.Context, tx *sql.Tx, before, after billing.Customer, fallback string) (err error) {
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

// Overdue implements billing.Store.
func (s *Store) Overdue(ctx context.Context, before time.Time) ([]billing.Customer, error) {
	return database.All[billing.Customer](ctx, s.db.Reader, "listing overdue customers",
		customerQuery+`WHERE overdue_since < $1 AND granted <> ''`, before.UnixMilli())
}
