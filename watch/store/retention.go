package store

import (
	"context"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// DeleteEvents deletes up to limit of the events that are older than a time, the oldest first, with their rows in feeds,
// and returns how many there were. It deletes no event that follows one that stays.
func (d *DB) DeleteEvents(ctx context.Context, before time.Time, limit int) (int64, error) {
	// The plus keeps both databases from reading all younger events by their index to find the first of them.
	result, err := d.Writer.ExecContext(ctx, `DELETE FROM events WHERE number IN (SELECT number FROM events WHERE number < COALESCE(
			(SELECT number FROM events WHERE +at >= $1 ORDER BY number LIMIT 1), 9223372036854775807)
		ORDER BY number LIMIT $2)`, before.UnixMilli(), limit)
	if err != nil {
		return 0, database.Doing("deleting old events", err)
	}
	n, err := result.RowsAffected()
	return n, database.Doing("deleting old events", err)
}
