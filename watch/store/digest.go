package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/watch"
)

// DueDigests implements watch.DigestStore.
func (d *DB) DueDigests(ctx context.Context, now time.Time, limit int) ([]watch.Digest, error) {
	return database.All[watch.Digest](ctx, d.Reader, "reading which digests are due",
		`SELECT ordinal AS list, id, account, name, digest AS kind, digest_at AS due, COALESCE(digest_after, 0) AS after,
		language FROM watchlists WHERE digest_at IS NOT NULL AND digest_at <= $1 AND digest <> 'none'
		ORDER BY digest_at LIMIT $2`, now.UnixMilli(), limit)
}

// BeginDigest implements watch.DigestStore.
func (d *DB) BeginDigest(ctx context.Context, one *watch.Digest) (begun bool, err error) {
	one.Until, err = database.One[int64](ctx, d.Writer, "beginning a digest", sql.ErrNoRows,
		`UPDATE watchlists SET digest_until = COALESCE(digest_until,
			(SELECT value FROM watch_counters WHERE name = 'events'))
		 WHERE ordinal = $1 AND digest_at = $2 RETURNING digest_until`, one.List, one.Due.UnixMilli())
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// A digest first reads events of the severe kinds, which may have high severity, and then events of the medium kinds.
var (
	severeKinds = monitoring.SetOf(monitoring.VATCancelled, monitoring.InactiveDeclared, monitoring.StateChanged,
		monitoring.CompanyUnknown, monitoring.WatchlistUnpaid)
	mediumKinds = monitoring.SetOf(monitoring.VATOnCollectionStarted, monitoring.VATOnCollectionEnded,
		monitoring.NameChanged, monitoring.SeatChanged, monitoring.SeatExpired, monitoring.StatementAbsent)
)

// DigestEvents implements watch.DigestStore.
func (d *DB) DigestEvents(ctx context.Context, one watch.Digest, limit int) ([]monitoring.Event, int, error) {
	const from = ` FROM feed f JOIN events e ON e.number = f.number
		WHERE f.list = $1 AND f.number > $2 AND f.number <= $3`
	args := []any{one.List, one.After, one.Until}
	total, err := database.One[int64](ctx, d.Reader, "counting the events of a digest", sql.ErrNoRows,
		`SELECT COUNT(*)`+from, args...)
	if err != nil || total == 0 {
		return nil, 0, err
	}

	events, err := d.events(ctx, "reading the events of a digest", monitoring.FeedOf(one.Account),
		`SELECT f.number, f.list, COALESCE(f.company, 0) AS company, f.reference, e.at, e.document`+from+`
		ORDER BY CASE WHEN (f.kinds & $4) <> 0 THEN 0 WHEN (f.kinds & $5) <> 0 THEN 1 ELSE 2 END, f.number DESC
		LIMIT $6`, append(args, int64(severeKinds), int64(mediumKinds), limit)...)
	return events, int(total), err
}

// EndDigest implements watch.DigestStore. If the watch-list's digest was changed in the meantime, the new time is kept.
func (d *DB) EndDigest(ctx context.Context, one watch.Digest, next time.Time) error {
	return database.Wrap("ending a digest", database.Exec(ctx, d.Writer,
		`UPDATE watchlists SET digest_after = $1, digest_until = NULL,
			digest_at = CASE WHEN digest_at = $2 THEN $3 ELSE digest_at END
		 WHERE ordinal = $4 AND digest_until = $1`, one.Until, one.Due.UnixMilli(), next.UnixMilli(), one.List))
}
