package store

import (
	"context"
	"database/sql"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
)

// Watches reports whether one of an account's watch-lists has the company.
func (d *DB) Watches(ctx context.Context, account string, company ro.CUI) (bool, error) {
	lists, err := database.One[int64](ctx, d.Reader, "looking for a company in watch-lists", sql.ErrNoRows,
		`SELECT COUNT(*) FROM watched w JOIN watchlists l ON l.ordinal = w.list AND l.account = w.account
			WHERE w.account = $1 AND w.company = $2`, account, int64(company))
	return lists > 0, err
}

// WatchlistID returns the id of an account's watch-list by its id, or of its first one for "default". It is empty if
// there is none.
func (d *DB) WatchlistID(ctx context.Context, account, name string) (string, error) {
	return database.One[string](ctx, d.Reader, "looking for a watch-list", sql.ErrNoRows,
		`SELECT COALESCE(MAX(id), '') FROM (
			SELECT id FROM watchlists WHERE account = $1 AND (id = $2 OR $2 = 'default') ORDER BY ordinal
			LIMIT 1) AS l`, account, name)
}
