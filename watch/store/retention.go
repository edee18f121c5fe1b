package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// DeleteEvents deletes up to limit events from before a time, the oldest first, with their rows in feeds. It returns
// the number of deleted events. It never deletes an event that comes after one that stays.
func (d *DB) DeleteEvents(ctx context.Context, before time.Time, limit int) (int64, error) {
	n := int64(0)
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		// The plus stops both databases from using the index by time, which would make them read all younger events.
		last, err := database.One[int64](ctx, tx, "finding old events", sql.ErrNoRows,
			`SELECT COALESCE(MAX(number), 0) FROM (SELECT number FROM events WHERE number < COALESCE(
				(SELECT number FROM events WHERE +at >= $1 ORDER BY number LIMIT 1), 9223372036854775807)
			ORDER BY number LIMIT $2) AS old`, before.UnixMilli(), limit)
		if err != nil || last == 0 {
			return err
		}
		if err := expire(ctx, tx, last); err != nil {
			return err
		}

		n, err = database.Change(ctx, tx, `DELETE FROM events WHERE number <= $1`, last)
		return err
	})
	return n, database.Wrap("deleting old events", err)
}

// expire records the last deleted event of each feed, so that an older cursor is known to have missed some. It covers
// the feeds with events up to a number.
func expire(ctx context.Context, tx *sql.Tx, last int64) error {
	const keep = ` ON CONFLICT (account) DO UPDATE SET number = excluded.number
		WHERE excluded.number > feed_expired.number`
	if err := database.Exec(ctx, tx, `INSERT INTO feed_expired (account, number)
		SELECT '', MAX(number) FROM events WHERE number <= $1
		AND (kinds & $2) = 0 HAVING COUNT(*) > 0`+keep, last, int64(private)); err != nil {
		return err
	}

	return database.Exec(ctx, tx, `INSERT INTO feed_expired (account, number)
		SELECT account, MAX(number) FROM feed WHERE number <= $1 GROUP BY account ORDER BY account`+keep, last)
}
