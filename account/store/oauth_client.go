package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// App finds an app that registered with a release until November 2026;
// account.ErrNoApp when there is none. Later ones are not stored: see package oauth.
func (d *DB) App(ctx context.Context, id string) (a account.App, _ error) {
	var redirects string
	var created int64
	err := d.Reader.QueryRowContext(ctx, `SELECT id, name, redirects, created_at FROM oauth_clients WHERE id = $1`, id).
		Scan(&a.ID, &a.Name, &redirects, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return account.App{}, account.ErrNoApp
	}

	a.Redirects, a.CreatedAt = strings.Fields(redirects), time.UnixMilli(created).UTC()
	return a, database.Doing("reading an app", err)
}
