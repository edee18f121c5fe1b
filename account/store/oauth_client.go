package store

import (
	"context"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// App finds an app that was registered with a release before December 2026. It returns account.ErrNoApp if there is
// none. Later releases do not store apps: see package oauth.
func (d *DB) App(ctx context.Context, id string) (account.App, error) {
	return database.One(ctx, d.Reader, "reading an app", account.ErrNoApp, scanApp,
		`SELECT id, name, redirects, created_at FROM oauth_clients WHERE id = $1`, id)
}

func scanApp(r database.Row, a *account.App) error {
	var redirects string
	err := r.Scan(&a.ID, &a.Name, &redirects, database.Time(&a.CreatedAt))
	a.Redirects = strings.Fields(redirects)
	return err
}
