package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
)

const (
	// keepUnusedApps is how long an app stays registered that nobody allows anything.
	keepUnusedApps = 30 * 24 * time.Hour
	// maxUnusedApps is how many of them there may be; whoever registers does so
	// unasked, and the latest are the likeliest to be used.
	maxUnusedApps = 10_000
)

// CreateApp registers an app; its id must be new. It forgets apps to which no grant
// belongs once nobody has allowed them anything for 30 days, and the oldest of them
// when there are more than 10,000.
func (d *DB) CreateApp(ctx context.Context, a account.App) error {
	const unused = `NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.client_id = c.id)`
	err := d.transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO oauth_clients (id, name, redirects, created_at, used_at) VALUES ($1, $2, $3, $4, $4)`,
			a.ID, a.Name, strings.Join(a.Redirects, " "), a.CreatedAt.UnixMilli()); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM oauth_clients AS c WHERE c.used_at <= $1 AND `+unused,
			time.Now().Add(-keepUnusedApps).UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM oauth_clients WHERE id IN (
			SELECT c.id FROM oauth_clients c WHERE `+unused+` ORDER BY c.used_at DESC, c.id DESC LIMIT 1000 OFFSET $1)`, maxUnusedApps)
		return err
	})
	return doing("registering an app", err)
}

// App finds an app that has registered; account.ErrNoApp when there is none.
func (d *DB) App(ctx context.Context, id string) (a account.App, _ error) {
	var redirects string
	var created int64
	err := d.reader.QueryRowContext(ctx, `SELECT id, name, redirects, created_at FROM oauth_clients WHERE id = $1`, id).
		Scan(&a.ID, &a.Name, &redirects, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return account.App{}, account.ErrNoApp
	}
	a.Redirects, a.CreatedAt = strings.Fields(redirects), time.UnixMilli(created).UTC()
	return a, doing("reading an app", err)
}
