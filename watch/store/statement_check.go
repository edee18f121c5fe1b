package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

// absentPaid is the SQL condition that an account watches a company w in a list s that names the kind $1, and has paid
// for it in the month $2 or a later one.
const absentPaid = ` FROM watchlists s JOIN watched w ON w.list = s.ordinal AND w.account = s.account
	JOIN paid p ON p.account = w.account AND p.company = w.company AND p.month >= $2
	WHERE (s.kinds & $1) <> 0`

// DueStatements implements mirror.StatementStore.
func (d *DB) DueStatements(ctx context.Context, year int, now time.Time, limit int) ([]ro.CUI, error) {
	return database.All[ro.CUI](ctx, d.Reader, "finding companies whose statements are due for a check",
		`SELECT DISTINCT w.company`+absentPaid+` AND NOT EXISTS (SELECT 1 FROM statement_checks k
			WHERE k.company = w.company AND (k.year > $3 OR k.year = $3 AND (k.due_at IS NULL OR k.due_at > $4)))
		LIMIT $5`,
		int64(monitoring.SetOf(monitoring.StatementAbsent)), int(watch.MonthOf(now)), year, now.UnixMilli(), limit)
}

// RecordStatements implements mirror.StatementStore. Of several processes that found the same absence, only one writes
// the event.
func (d *DB) RecordStatements(ctx context.Context, year int, checks []watch.StatementCheck) (added bool, err error) {
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		if err := holdCounter(ctx, tx); err != nil {
			return err
		}

		var events []watch.Event
		for _, check := range checks {
			if check.Event != nil {
				lists, err := database.One[int](ctx, tx, "finding watch-lists for an event", sql.ErrNoRows,
					`SELECT COUNT(*)`+absentPaid+` AND w.company = $3`, int64(check.Event.Kinds()),
					int(watch.MonthOf(check.Event.At)), int64(check.Company))
				if err != nil {
					return err
				}
				if lists == 0 { // deleted during the check
					continue
				}
			}

			recorded, err := database.Change(ctx, tx,
				`INSERT INTO statement_checks (company, year, due_at) VALUES ($1, $2, $3)
				ON CONFLICT (company) DO UPDATE SET year = excluded.year, due_at = excluded.due_at
				WHERE statement_checks.year < excluded.year
				OR statement_checks.year = excluded.year AND statement_checks.due_at IS NOT NULL`,
				int64(check.Company), year, database.OrNull(check.Next))
			if err != nil {
				return err
			}
			if recorded > 0 && check.Event != nil {
				events = append(events, *check.Event)
			}
		}

		added = len(events) > 0
		return d.Add(ctx, tx, events...)
	})
	return added && err == nil, database.Wrap("recording checks of statements", err)
}
