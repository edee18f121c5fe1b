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

// The retention of charges and counts.
const (
	chargesMonths = 1  // beyond the current one
	usageMonths   = 13 // beyond the current one
	chargesAhead  = 2  // months for which partitions exist in advance
	pruneAtOnce   = 2_000
)

// Usage returns the successful calls of an account by day and operation, from one day to another inclusive, in the
// format of metering.Day.
func (d *DB) Usage(ctx context.Context, owner, from, to string) ([]metering.Calls, error) {
	return database.All[metering.Calls](ctx, d.Reader, "reading the usage of account "+owner,
		`SELECT account_id AS account, day, operation, calls, hits, credits FROM usage_days
		WHERE account_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day, operation`, owner, from, to)
}

// Count implements metering.Journal.
func (d *DB) Count(ctx context.Context, calls []metering.Calls) error {
	return d.Transact(ctx, func(tx *sql.Tx) error { return d.count(ctx, tx, calls) })
}

// count adds to the sums of a day. Each sum occurs once in calls.
func (d *DB) count(ctx context.Context, tx *sql.Tx, calls []metering.Calls) error {
	// A fixed order prevents deadlocks between processes.
	slices.SortFunc(calls, func(a, b metering.Calls) int {
		return cmp.Or(strings.Compare(a.Account, b.Account), strings.Compare(a.Day, b.Day),
			strings.Compare(a.Operation, b.Operation))
	})
	args := make([]any, 0, 6*len(calls))
	for _, c := range calls {
		args = append(args, c.Account, c.Day, c.Operation, c.Calls, c.Hits, c.Credits)
	}

	return database.Wrap("counting calls", d.Statements.Exec(ctx, tx, addUsage, args))
}

// Prune implements metering.Journal. It keeps charges for the current period and the one before, usage for the current
// month and the 13 before it, and balances forever. In PostgreSQL it drops the partitions of past months and creates
// partitions for the coming months.
func (d *DB) Prune(ctx context.Context, at time.Time) (more bool, err error) {
	month := time.Date(at.UTC().Year(), at.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	expired := `DELETE FROM charges WHERE period < $1
		AND (period, id) IN (SELECT period, id FROM charges WHERE period < $1 LIMIT $2)`
	if d.IsPostgres() {
		if err := d.rotatePartitions(ctx, month); err != nil {
			return false, err
		}
		// The rows left are in the partition of the months before the upgrade, or had no partition. There is no index,
		// so they are found by their ctid. A ctid is unique only within a partition, but all matching rows have
		// expired.
		expired = `DELETE FROM charges WHERE period < $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM charges WHERE period < $1 LIMIT $2))`
	}

	var deleted int64
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		for _, old := range []struct{ statement, before string }{
			{expired, chargesFrom(month)},
			{`DELETE FROM usage_days WHERE (account_id, day, operation) IN
			      (SELECT account_id, day, operation FROM usage_days WHERE day < $1 ORDER BY day LIMIT $2)`,
				metering.Day(month.AddDate(0, -usageMonths, 0))},
		} {
			n, err := database.Change(ctx, tx, old.statement, old.before, pruneAtOnce)
			if err != nil {
				return err
			}

			deleted = max(deleted, n)
		}

		return nil
	})
	return deleted >= pruneAtOnce, database.Wrap("deleting old charges and usage", err)
}

// chargesFrom returns the first period whose charges are kept in a month.
func chargesFrom(month time.Time) string { return metering.Period(month.AddDate(0, -chargesMonths, 0)) }

// rotatePartitions creates the partitions of charges for a month and the following ones, and drops the partitions of
// past months.
func (d *DB) rotatePartitions(ctx context.Context, month time.Time) error {
	for ahead := range chargesAhead + 1 {
		period := metering.Period(month.AddDate(0, ahead, 0))
		if err := database.Exec(ctx, d.Writer, `SELECT open_charges_month($1)`, period); err != nil {
			return fmt.Errorf("creating the partition for charges of %s: %w", period, err)
		}
	}

	return database.Wrap("dropping the partitions of old charges",
		database.Exec(ctx, d.Writer, `SELECT drop_charges_before($1)`, chargesFrom(month)))
}
