package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/watch"
)

// nobody is the account of watch-lists that are being deleted. No operation finds them, and they get no events.
const nobody = ""

const listColumns = `ordinal, id, account, name, kinds AS events, digest, digest_at, language, every,
	feed_token AS feed_hash, feed_key, created_at, companies, COALESCE(unpaid, 0) AS unpaid`

// AddList adds a watch-list. It returns a problem if the account already has most watch-lists. If most is 0, an
// account that already has a watch-list gets its first one instead.
func (d *DB) AddList(ctx context.Context, l watch.List, most int) (added watch.List, err error) {
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		// The row stays locked until the end of the transaction, so that no other process adds a watch-list in the
		// meantime.
		l.Ordinal, err = database.One[int64](ctx, tx, "numbering a watch-list", sql.ErrNoRows,
			`UPDATE watch_counters SET value = value + 1 WHERE name = 'watchlists' RETURNING value`)
		if err != nil {
			return err
		}

		has, err := lists(ctx, tx, l.Account)
		switch {
		case err != nil:
			return err
		case most == 0 && len(has) > 0:
			added = has[0]
			return nil
		case most > 0 && len(has) >= most:
			return monitoring.TooManyWatchlists(most)
		}

		added = l
		return database.Exec(ctx, tx, `INSERT INTO watchlists
			(ordinal, id, account, name, kinds, digest, digest_at, every, feed_token, feed_key, created_at,
			 language) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
			l.Ordinal, l.ID, l.Account, l.Name, int64(l.Events), string(l.Digest), database.OrNull(l.DigestAt),
			string(l.Every), l.FeedHash, l.FeedKey, l.CreatedAt.UnixMilli(), string(l.Language))
	})
	return added, database.Wrap("adding a watch-list", err)
}

// Lists returns the watch-lists of an account, the oldest first.
func (d *DB) Lists(ctx context.Context, account string) ([]watch.List, error) {
	return lists(ctx, d.Reader, account)
}

func lists(ctx context.Context, db database.Querier, account string) ([]watch.List, error) {
	return database.All[watch.List](ctx, db, "reading watch-lists",
		`SELECT `+listColumns+` FROM watchlists WHERE account = $1 ORDER BY ordinal`, account)
}

// List returns a watch-list of an account by its id, or the first one for the default id. It returns op.ErrUnknown if
// there is none.
func (d *DB) List(ctx context.Context, account string, id monitoring.WatchlistID) (watch.List, error) {
	return oneList(ctx, d.Reader, account, id)
}

func oneList(ctx context.Context, db database.Querier, account string, id monitoring.WatchlistID) (watch.List, error) {
	if id == monitoring.DefaultWatchlist {
		return database.One[watch.List](ctx, db, "reading a watch-list", op.ErrUnknown,
			`SELECT `+listColumns+` FROM watchlists WHERE account = $1 ORDER BY ordinal LIMIT 1`, account)
	}
	return database.One[watch.List](ctx, db, "reading a watch-list", op.ErrUnknown,
		`SELECT `+listColumns+` FROM watchlists WHERE id = $1 AND account = $2`, string(id), account)
}

// ListOfAnyone returns a watch-list by its id, whoever's it is. It returns op.ErrUnknown if there is none.
func (d *DB) ListOfAnyone(ctx context.Context, id string) (watch.List, error) {
	return database.One[watch.List](ctx, d.Reader, "reading a watch-list", op.ErrUnknown,
		`SELECT `+listColumns+` FROM watchlists WHERE id = $1`, id)
}

// ListOfFeed returns the watch-list whose feeds' secret has the given stored form. It returns op.ErrUnknown if there is
// none.
func (d *DB) ListOfFeed(ctx context.Context, hash string) (watch.List, error) {
	return database.One[watch.List](ctx, d.Reader, "reading a watch-list", op.ErrUnknown,
		`SELECT `+listColumns+` FROM watchlists WHERE feed_token = $1`, hash)
}

// ChangeList applies a change to the stored settings of a watch-list. The error is op.ErrUnknown if it has been
// deleted. A newly enabled digest covers the events from then on.
func (d *DB) ChangeList(ctx context.Context, account string, id monitoring.WatchlistID,
	change func(*watch.List)) (l watch.List, err error) {
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		if l, err = oneList(ctx, tx, account, id); err != nil {
			return err
		}

		off := l.DigestAt.IsZero()
		change(&l)
		return database.ChangeOne(ctx, tx, op.ErrUnknown, `UPDATE watchlists
			SET name = $1, kinds = $2, digest = $3, digest_at = $4, every = $5, feed_token = $6, language = $10, feed_key = $11,
				digest_after = CASE WHEN $7 = 1 THEN (SELECT value FROM watch_counters WHERE name = 'events')
				ELSE digest_after END,
				digest_until = CASE WHEN $7 = 1 THEN NULL ELSE digest_until END
			WHERE ordinal = $8 AND account = $9`,
			l.Name, int64(l.Events), string(l.Digest), database.OrNull(l.DigestAt), string(l.Every), l.FeedHash,
			database.Integer(off && !l.DigestAt.IsZero()), l.Ordinal, account, string(l.Language), l.FeedKey)
	})
	return l, database.Wrap("changing a watch-list", err)
}

// EndFeeds ends the addresses of feeds that were shown to revoked keys of an account: the stored form of their secret
// is replaced by the id of the watch-list, which is not the stored form of any secret.
func (d *DB) EndFeeds(ctx context.Context, account string, revoked []string) error {
	lists, err := d.Lists(ctx, account)
	for i := range lists {
		if l := &lists[i]; err == nil && slices.Contains(revoked, l.FeedKey) {
			err = database.Exec(ctx, d.Writer, `UPDATE watchlists SET feed_token = id, feed_key = ''
				WHERE ordinal = $1 AND feed_key = $2`, l.Ordinal, l.FeedKey)
		}
	}

	return database.Wrap("ending the feeds of revoked keys", err)
}

// HashFeeds hashes the secrets of feeds that earlier releases stored unhashed.
func (d *DB) HashFeeds(ctx context.Context, hash func(secret string) string) error {
	const doing = "hashing the secrets of feeds"
	plain, err := database.All[string](ctx, d.Writer, doing,
		`SELECT feed_token FROM watchlists WHERE substr(feed_token, 1, 4) = 'wlf_'`)
	for _, secret := range plain {
		if err == nil {
			err = database.Exec(ctx, d.Writer, `UPDATE watchlists SET feed_token = $1 WHERE feed_token = $2`,
				hash(secret), secret)
		}
	}

	return database.Wrap(doing, err)
}
