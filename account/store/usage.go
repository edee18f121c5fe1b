package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
)

// How long what is counted stays.
const (
	chargesMonths = 1  // beyond the current one
	usageMonths   = 13 // beyond the current one
	pruneAtOnce   = 2_000
)

// Usage is the successful calls of an account by day and operation, from one day to another, both included and as
// metering.Day writes them.
func (d *DB) Usage(ctx context.Context, owner, from, to string) ([]metering.Calls, error) {
	return database.Collect(ctx, d.Reader, "reading the usage of account "+owner,
		func(r database.Row, c *metering.Calls) error {
			return r.Scan(&c.Account, &c.Day, &c.Operation, &c.Calls, &c.Hits, &c.Credits)
		}, `SELECT account_id, day, operation, calls, hits, credits FROM usage_days
	    WHERE account_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day, operation`, owner, from, to)
}

// Count implements metering.Journal.
func (d *DB) Count(ctx context.Context, calls []metering.Calls) error {
	return d.Transact(ctx, func(tx *sql.Tx) error { return count(ctx, tx, calls) })
}

// count adds to the sums of a day. Each sum occurs once in calls.
func count(ctx context.Context, tx *sql.Tx, calls []metering.Calls) error {
	// In one order, or two processes could wait for each other.
	slices.SortFunc(calls, func(a, b metering.Calls) int {
		return cmp.Or(strings.Compare(a.Account, b.Account), strings.Compare(a.Day, b.Day),
			strings.Compare(a.Operation, b.Operation))
	})
	for part := range slices.Chunk(calls, rowsAtOnce) {
		var args []any
		for _, c := range part {
			args = append(args, c.Account, c.Day, c.Operation, c.Calls, c.Hits, c.Credits)
		}

		err := database.Exec(ctx, tx,
			`INSERT INTO usage_days (account_id, day, operation, calls, hits, credits) VALUES `+tuples(len(part), 0, 6)+`
			 ON CONFLICT (account_id, day, operation) DO UPDATE SET
			     calls = usage_days.calls + excluded.calls, hits = usage_days.hits + excluded.hits, credits = usage_days.credits + excluded.credits`, args...)
		if err != nil {
			return fmt.Errorf("counting calls: %w", err)
		}
	}

	return nil
}

// Prune implements metering.Journal: charges are kept for the current period and the one before, usage for 13 months
// before the current one, balances forever.
func (d *DB) Prune(ctx context.Context, at time.Time) (more bool, err error) {
	month := time.Date(at.UTC().Year(), at.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	var deleted int64
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		for _, old := range []struct{ statement, before string }{
			{`DELETE FROM charges WHERE (period, id) IN (SELECT period, id FROM charges WHERE period < $1 ORDER BY period LIMIT $2)`,
				metering.Period(month.AddDate(0, -chargesMonths, 0))},
			{`DELETE FROM usage_days WHERE (account_id, day, operation) IN
			      (SELECT account_id, day, operation FROM usage_days WHERE day < $1 ORDER BY day LIMIT $2)`,
				metering.Day(month.AddDate(0, -usageMonths, 0))},
		} {
			result, err := tx.ExecContext(ctx, old.statement, old.before, pruneAtOnce)
			if err != nil {
				return err
			}

			n, err := result.RowsAffected()
			if err != nil {
				return err
			}

			deleted = max(deleted, n)
		}
		return nil
	})
	return deleted == pruneAtOnce, database.Doing("deleting old charges and usage", err)
}
