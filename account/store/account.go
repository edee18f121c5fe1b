package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// CreateAccount adds an account, whose ID must be new.
func (d *DB) CreateAccount(ctx context.Context, a account.Account) error {
	_, err := d.Writer.ExecContext(ctx, `INSERT INTO accounts (id, plan, created_at) VALUES ($1, $2, $3)`,
		a.ID, a.Plan, a.CreatedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("creating account %s: %w", a.ID, err)
	}
	return nil
}

const accountColumns = `a.id, a.plan, a.created_at, a.closed_at`

func scanAccount(r database.Row) (a account.Account, err error) {
	var created int64
	var closed sql.NullInt64
	if err := r.Scan(&a.ID, &a.Plan, &created, &closed); err != nil {
		return account.Account{}, err
	}
	a.CreatedAt, a.ClosedAt = time.UnixMilli(created).UTC(), database.OrZero(closed)
	return a, nil
}

// Account finds an account, even a closed one; account.ErrNoAccount when there is none.
func (d *DB) Account(ctx context.Context, id string) (account.Account, error) {
	a, err := scanAccount(d.Reader.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM accounts a WHERE a.id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return account.Account{}, account.ErrNoAccount
	}
	if err != nil {
		return account.Account{}, fmt.Errorf("reading account %s: %w", id, err)
	}

	return a, nil
}

// Accounts lists at most limit accounts in the order of their IDs, which is that of creation, after the ID after. A
// non-empty query selects those whose ID or user's address starts with it, or whose plan it is.
func (d *DB) Accounts(ctx context.Context, query, after string, limit int) ([]account.Account, error) {
	accounts, err := database.Collect(ctx, d.Reader, scanAccount,
		`SELECT `+accountColumns+` FROM accounts a LEFT JOIN users u ON u.account_id = a.id
		 WHERE (substr(a.id, 1, length($1)) = $1 OR substr(u.email, 1, length($1)) = $1 OR a.plan = $1) AND a.id > $2
		 ORDER BY a.id LIMIT $3`, strings.ToLower(query), after, limit)
	if err != nil {
		return nil, fmt.Errorf("listing accounts: %w", err)
	}

	return accounts, nil
}

// SetPlan changes the plan of an account, from the next call on here and within 10 seconds in other processes;
// account.ErrNoAccount when there is none, or it is closed.
func (d *DB) SetPlan(ctx context.Context, id, plan string) error {
	return d.alterAccount(ctx, "setting the plan", id, `UPDATE accounts SET plan = $1 WHERE id = $2 AND closed_at IS NULL`, plan, id)
}

// CloseAccount closes an account for good: its keys are no longer accepted. Its charges and invoices stay.
// account.ErrNoAccount when there is none, or it is closed already.
func (d *DB) CloseAccount(ctx context.Context, id string) error {
	return d.alterAccount(ctx, "closing", id, `UPDATE accounts SET closed_at = $1 WHERE id = $2 AND closed_at IS NULL`, time.Now().UnixMilli(), id)
}

// alterAccount executes a statement that matches an account unless it is closed.
func (d *DB) alterAccount(ctx context.Context, doing, id, statement string, args ...any) error {
	err := d.ChangeAccount(ctx, id, func(tx *sql.Tx) error {
		return database.ChangeOne(ctx, tx, account.ErrNoAccount, statement, args...)
	})
	if err != nil && !errors.Is(err, account.ErrNoAccount) {
		return fmt.Errorf("%s of account %s: %w", doing, id, err)
	}
	return err
}

// LockAccount locks an account until the end of the transaction, and verifies that it is open; else
// account.ErrNoAccount.
func LockAccount(ctx context.Context, tx *sql.Tx, id string) error {
	// An update that changes nothing locks the row in both databases.
	return database.ChangeOne(ctx, tx, account.ErrNoAccount, `UPDATE accounts SET plan = plan WHERE id = $1 AND closed_at IS NULL`, id)
}
