package store

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
)

// CountToday counts one more use of a name today (UTC). It returns account.ErrTooMany once the count has reached max.
func (d *DB) CountToday(ctx context.Context, name string, max int) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error { return countToday(ctx, tx, name, max) })
	return database.Wrap("counting by the day", err)
}

// countToday counts within a transaction, and locks the counter. A max of 0 means no limit. It also deletes the counts
// of earlier days.
func countToday(ctx context.Context, tx *sql.Tx, name string, max int) error {
	if max == 0 {
		max = math.MaxInt32
	}

	today := metering.Day(time.Now())
	return cmp.Or(
		database.Exec(ctx, tx, `DELETE FROM daily_counts WHERE day < $1`, today),
		database.ChangeOne(ctx, tx, account.ErrTooMany,
			`INSERT INTO daily_counts (day, name, n) VALUES ($1, $2, 1)
			 ON CONFLICT (day, name) DO UPDATE SET n = daily_counts.n + 1 WHERE daily_counts.n < $3`, today, name, max))
}
