package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// queueDeliveries queues the events of a range of numbers for the webhooks that want them, in the transaction that
// writes the events and has written their fan-out. While an earlier event of the same company waits for a later try,
// so does the new one.
func (d *DB) queueDeliveries(ctx context.Context, tx *sql.Tx, first, last int64, at time.Time) error {
	return database.Doing("queueing deliveries", database.Exec(ctx, tx,
		`INSERT INTO deliveries (webhook, number, list, company, created_at, tries, due_at)
		 SELECT w.ordinal, f.number, f.list, f.company, CAST($1 AS BIGINT), 0, COALESCE((SELECT MAX(e.due_at)
			FROM deliveries e WHERE e.webhook = w.ordinal AND e.company = f.company AND e.due_at > $1), $1)
		 FROM feed f JOIN webhooks w ON w.account = f.account
		 WHERE f.number BETWEEN $2 AND $3 AND w.disabled IS NULL AND (w.kinds & f.kinds) <> 0 AND `+wantsList+`
		 ON CONFLICT DO NOTHING`, at.UnixMilli(), first, last))
}

// wantsList is the condition that a webhook w is for the watch-list of a row f of the feed.
const wantsList = `(w.all_lists = 1 OR EXISTS (SELECT 1 FROM webhook_lists l WHERE l.webhook = w.ordinal AND l.list = f.list))`
