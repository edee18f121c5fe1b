package store

import (
	"context"
	"fmt"

	"github.com/rodata/rodata/account"
)

// CreateAccount adds an account; its id must be new.
func (d *DB) CreateAccount(ctx context.Context, a account.Account) error {
	_, err := d.writer.ExecContext(ctx,
		`INSERT INTO accounts (id, plan, created_at) VALUES ($1, $2, $3)`,
		a.ID, a.Plan, a.CreatedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("creating account %s: %w", a.ID, err)
	}
	return nil
}

