package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// CreateAccount adds an account, whose ID must be new.
func (d *DB) CreateAccount(ctx context.Context, a account.Account) error {
	return database.Wrap("creating account "+a.ID, addAccount(ctx, d.Writer, a))
}

func addAccount(ctx context.Context, db database.Execer, a account.Account) error {
	return database.Exec(ctx, db, `INSERT INTO accounts (id, plan, created_at) VALUES ($1, $2, $3)`,
		a.ID, a.Plan, a.CreatedAt.UnixMilli())
}

const accountColumns = `a.id, a.plan, a.created_at, a.closed_at, a.owned_since`

// Account finds an account, even a closed one. It returns account.ErrNoAccount if there is none.
func (d *DB) Account(ctx context.Context, id string) (account.Account, error) {
	return database.One[account.Account](ctx, d.Reader, "reading account "+id, account.ErrNoAccount,
		`SELECT `+accountColumns+` FROM accounts a WHERE a.id = $1`, id)
}

// Accounts lists at most limit accounts in the order of their IDs, which is the order of creation, starting after the
// ID after. A non-empty query selects accounts by the start of their ID or user's address, or by plan.
func (d *DB) Accounts(ctx context.Context, query, after string, limit int) ([]account.Account, error) {
	return database.All[account.Account](ctx, d.Reader, "listing accounts",
		`SELECT `+accountColumns+` FROM accounts a LEFT JOIN users u ON u.account_id = a.id
		 WHERE (substr(a.id, 1, length($1)) = $1 OR substr(u.email, 1, length($1)) = $1 OR a.plan = $1) AND a.id > $2
		 ORDER BY a.id LIMIT $3`, strings.ToLower(query), after, limit)
}

// SetPlan changes the plan of an account. The change takes effect from the next call on in this process, and within 10
// seconds in others. SetPlan returns account.ErrNoAccount if the account does not exist or is closed.
func (d *DB) SetPlan(ctx context.Context, id, plan string) error {
	return d.alterAccount(ctx, "setting the plan of account "+id, id,
		`UPDATE accounts SET plan = $1 WHERE id = $2 AND closed_at IS NULL`, plan, id)
}

// CloseAccount closes an account permanently, so that its keys are no longer accepted. Its charges and invoices stay.
// It returns account.ErrNoAccount if the account does not exist or is already closed.
func (d *DB) CloseAccount(ctx context.Context, id string) error {
	return d.alterAccount(ctx, "closing account "+id, id,
		`UPDATE accounts SET closed_at = $1 WHERE id = $2 AND closed_at IS NULL`, now(), id)
}

func (d *DB) alterAccount(ctx context.Context, doing, id, statement string, args ...any) error {
	err := d.ChangeAccount(ctx, id, func(tx *sql.Tx) error {
		return database.ChangeOne(ctx, tx, account.ErrNoAccount, statement, args...)
	})
	return database.Wrap(doing, err, account.ErrNoAccount)
}

// LockAccount locks an account until the end of the transaction. It returns account.ErrNoAccount if the account does
// not exist or is closed.
func LockAccount(ctx context.Context, tx *sql.Tx, id string) error {
	// An update that changes nothing locks the row in both databases.
	return database.ChangeOne(ctx, tx, account.ErrNoAccount,
		`UPDATE accounts SET plan = plan WHERE id = $1 AND closed_at IS NULL`, id)
}
