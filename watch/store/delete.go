package store

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/watch"
)

// hide detaches watch-lists from their account in one short statement. Their rows are deleted afterwards.
const hide = `UPDATE watchlists SET account = '` + nobody +
	`', name = '', feed_token = 'deleted ' || id, kinds = 0, digest = 'none',
	digest_at = NULL, digest_until = NULL, unpaid = NULL WHERE `

// DeleteList deletes a watch-list with its companies and its part of the feed. The error is op.ErrUnknown if there is
// none. The list disappears at once; if the process dies, FinishDeleting deletes the remaining rows.
func (d *DB) DeleteList(ctx context.Context, account string, id monitoring.WatchlistID) error {
	var l watch.List
	err := d.Transact(ctx, func(tx *sql.Tx) (err error) {
		if l, err = oneList(ctx, tx, account, id); err != nil {
			return err
		}
		if err := leaveList(ctx, tx, l.Ordinal); err != nil {
			return err
		}
		return database.ChangeOne(ctx, tx, op.ErrUnknown, hide+`ordinal = $1 AND account = $2`, l.Ordinal, account)
	})
	ctx = context.WithoutCancel(ctx)
	if err == nil {
		err = d.deletePending(ctx, account, l.Ordinal)
	}
	if err != nil {
		return database.Wrap("deleting a watch-list", err)
	}

	return d.deleteHidden(ctx, l.Ordinal)
}

// FinishDeleting completes interrupted deletions of watch-lists.
func (d *DB) FinishDeleting(ctx context.Context) error {
	hidden, err := database.All[int64](ctx, d.Reader, "finding deleted watch-lists",
		`SELECT ordinal FROM watchlists WHERE account = $1 ORDER BY ordinal`, nobody)
	for _, list := range hidden {
		if err == nil {
			err = d.deleteHidden(ctx, list)
		}
	}

	return err
}

// deleteHidden deletes a hidden watch-list in short transactions, its own row last.
func (d *DB) deleteHidden(ctx context.Context, list int64) error {
	const doing = "deleting a watch-list"
	if err := d.DeleteMany(ctx, doing, `DELETE FROM watched WHERE list = $1
		AND company IN (SELECT company FROM watched WHERE list = $1 LIMIT $2)`, list); err != nil {
		return err
	}
	if err := d.deleteFeed(ctx, "list", list, math.MaxInt64); err != nil {
		return err
	}

	return database.Wrap(doing, database.Exec(ctx, d.Writer, `DELETE FROM watchlists WHERE ordinal = $1`, list))
}

// deleteFeed deletes the rows of a feed in short transactions: the rows whose column (account or list) has a value, up
// to the number of an event.
func (d *DB) deleteFeed(ctx context.Context, column string, of any, upTo int64) error {
	for more := true; more; {
		last, err := database.One[int64](ctx, d.Writer, "reading a feed", sql.ErrNoRows,
			`SELECT COALESCE((SELECT number FROM feed WHERE `+column+` = $1 ORDER BY number LIMIT 1 OFFSET $2), $3)`,
			of, database.DeleteBatch-1, upTo)
		if err != nil {
			return err
		}

		more, last = last < upTo, min(last, upTo)
		err = d.Transact(ctx, func(tx *sql.Tx) error {
			// Private events are not in other feeds, and may name a watch-list.
			if err := database.Exec(ctx, tx, `DELETE FROM events WHERE number IN
				(SELECT number FROM feed WHERE `+column+` = $1 AND number <= $2 AND (kinds & $3) <> 0)`,
				of, last, int64(private)); err != nil {
				return err
			}

			return database.Exec(ctx, tx, `DELETE FROM feed WHERE `+column+` = $1 AND number <= $2`, of, last)
		})
		if err != nil {
			return database.Wrap("deleting a feed", err)
		}
	}

	return nil
}

// Accounts returns up to limit accounts that have any rows here, sorted, after a given account. In the feed, which is
// large, it finds each account with one index lookup.
func (d *DB) Accounts(ctx context.Context, after string, limit int) ([]string, error) {
	return database.All[string](ctx, d.Reader, "reading the accounts of watch-lists",
		`WITH RECURSIVE in_feed (account) AS (
			SELECT (SELECT MIN(account) FROM feed WHERE account > $1)
			UNION ALL SELECT (SELECT MIN(account) FROM feed WHERE account > t.account) FROM in_feed t
			WHERE t.account IS NOT NULL)
		 SELECT account FROM watchlists WHERE account > $1 UNION SELECT account FROM paid WHERE account > $1
		 UNION SELECT account FROM webhooks WHERE account > $1
		 UNION SELECT account FROM (SELECT account FROM in_feed WHERE account IS NOT NULL LIMIT $2) AS t ORDER BY account
		 LIMIT $2`, after, limit)
}

// DeleteAccount deletes all data of a closed account. Its watch-lists disappear at once; if the process dies, the next
// call and FinishDeleting delete the remaining rows.
func (d *DB) DeleteAccount(ctx context.Context, account string) error {
	const doing = "deleting the watch-lists of an account"
	if err := d.DeleteCreated(ctx, account, time.UnixMilli(math.MaxInt64)); err != nil {
		return err
	}
	if err := database.Exec(ctx, d.Writer, `DELETE FROM feed_expired WHERE account = $1`, account); err != nil {
		return database.Wrap(doing, err)
	}

	return d.DeleteMany(ctx, doing, `DELETE FROM paid WHERE account = $1
		AND company IN (SELECT company FROM paid WHERE account = $1 LIMIT $2)`, account)
}

// DeleteCreated deletes the webhooks and watch-lists that an account created until a given time, with their feeds, and
// its other events until then. What it has paid for stays paid.
func (d *DB) DeleteCreated(ctx context.Context, account string, until time.Time) error {
	if err := d.DeleteWebhooks(ctx, account, until); err != nil {
		return err
	}

	hidden, err := database.All[int64](ctx, d.Writer, "deleting the watch-lists of an account",
		hide+`account = $1 AND created_at <= $2 RETURNING ordinal`, account, until.UnixMilli())
	if err != nil {
		return err
	}

	for _, list := range hidden {
		if err := d.deleteHidden(ctx, list); err != nil {
			return err
		}
	}

	// The rows without a watch-list, and of deleted lists.
	last, err := database.One[int64](ctx, d.Writer, "finding an event", nil,
		`SELECT number FROM events WHERE at <= $1 ORDER BY at DESC, number DESC LIMIT 1`, until.UnixMilli())
	if err != nil || last == 0 {
		return err
	}

	return d.deleteFeed(ctx, "account", account, last)
}

// ForgetPaid deletes the payments for months before a given one.
func (d *DB) ForgetPaid(ctx context.Context, before watch.Month) error {
	return d.DeleteMany(ctx, "deleting old payments", `DELETE FROM paid WHERE (account, company) IN
		(SELECT account, company FROM paid WHERE month < $1 LIMIT $2)`, int64(before))
}
