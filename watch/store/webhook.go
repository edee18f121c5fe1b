package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/op"
)

// Webhook is an endpoint of an account to which events are sent.
type Webhook struct {
	Ordinal int64 // given by the store
	ID      string
	Account string
	URL     string
	// Lists are the ids of the watch-lists whose events are sent; nil for all lists of the account.
	Lists []string
	// Kinds are the kinds of events that are sent. An event needs one of them.
	Kinds monitoring.EventSet
	// Secrets are the encrypted secrets that sign requests.
	Secrets []byte
	// Key is the id of the key that set the URL or made the webhook active. It is empty for a browser.
	Key string
	// Accepted reports that the endpoint has accepted an event at this URL.
	Accepted bool
	// Disabled is the reason why nothing is sent. It is empty while the webhook is active.
	Disabled string
	// FailingSince is the first failure since the last success. It is zero if there is none.
	FailingSince time.Time
	CreatedAt    time.Time
}

// An empty list of watch-lists stands for some lists, which are read afterwards.
const webhookColumns = `w.ordinal, w.id, w.account, w.url, CASE WHEN w.all_lists = 0 THEN '[]' END AS lists, w.kinds,
	w.secrets, w.key_id AS "key", w.accepted, COALESCE(w.disabled, '') AS disabled, w.failing_since, w.created_at`

// AddWebhook stores a new webhook. It returns a problem if the account already has most webhooks.
func (d *DB) AddWebhook(ctx context.Context, w Webhook, most int) error {
	err := d.Transact(ctx, func(tx *sql.Tx) (err error) {
		// The counter's row stays locked until the end, so concurrent calls cannot exceed the limit.
		if w.Ordinal, err = database.One[int64](ctx, tx, "numbering a webhook", sql.ErrNoRows,
			`UPDATE watch_counters SET value = value + 1 WHERE name = 'webhooks' RETURNING value`); err != nil {
			return err
		}

		if err := database.ChangeOne(ctx, tx, monitoring.TooManyWebhooks(most), `INSERT INTO webhooks
			(ordinal, id, account, url, all_lists, kinds, secrets, key_id, told, created_at)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, 1, $9 WHERE (SELECT COUNT(*) FROM webhooks WHERE account = $3) < $10`,
			w.Ordinal, w.ID, w.Account, w.URL, database.Integer(w.Lists == nil), int64(w.Kinds), w.Secrets, w.Key,
			w.CreatedAt.UnixMilli(), most); err != nil {
			return err
		}

		return setLists(ctx, tx, &w)
	})
	return database.Wrap("storing a webhook", err)
}

// setLists replaces the stored watch-lists of a webhook.
func setLists(ctx context.Context, tx *sql.Tx, w *Webhook) error {
	if err := database.Exec(ctx, tx, `DELETE FROM webhook_lists WHERE webhook = $1`, w.Ordinal); err != nil {
		return err
	}

	for _, id := range w.Lists {
		if err := database.ChangeOne(ctx, tx, monitoring.UnknownWatchlist(id), `INSERT INTO webhook_lists (webhook, list)
			SELECT CAST($1 AS BIGINT), ordinal FROM watchlists WHERE id = $2 AND account = $3`, w.Ordinal, id, w.Account); err != nil {
			return err
		}
	}

	return nil
}

// Webhooks returns the webhooks of an account, the oldest first.
func (d *DB) Webhooks(ctx context.Context, account string) ([]Webhook, error) {
	all, err := database.All[Webhook](ctx, d.Reader, "listing webhooks",
		`SELECT `+webhookColumns+` FROM webhooks w WHERE w.account = $1 ORDER BY w.ordinal`, account)
	for i := range all {
		if err == nil {
			err = readLists(ctx, d.Reader, &all[i])
		}
	}

	return all, err
}

// Webhook returns a webhook of an account. It returns op.ErrUnknown if there is none.
func (d *DB) Webhook(ctx context.Context, account, id string) (Webhook, error) {
	return oneWebhook(ctx, d.Reader, account, id)
}

func oneWebhook(ctx context.Context, db database.Querier, account, id string) (Webhook, error) {
	w, err := database.One[Webhook](ctx, db, "reading a webhook", op.ErrUnknown,
		`SELECT `+webhookColumns+` FROM webhooks w WHERE w.id = $1 AND w.account = $2`, id, account)
	if err == nil {
		err = readLists(ctx, db, &w)
	}
	return w, err
}

// readLists reads the watch-lists of a webhook that is limited to some.
func readLists(ctx context.Context, db database.Querier, w *Webhook) error {
	if w.Lists == nil {
		return nil
	}

	lists, err := database.All[string](ctx, db, "reading the watch-lists of a webhook",
		`SELECT l.id FROM webhook_lists wl JOIN watchlists l ON l.ordinal = wl.list WHERE wl.webhook = $1
			ORDER BY l.ordinal`, w.Ordinal)
	w.Lists = append(w.Lists, lists...)
	return err
}

// ChangeWebhook changes a webhook of an account, and returns the new state. A webhook that becomes active continues at
// once with its waiting deliveries.
func (d *DB) ChangeWebhook(ctx context.Context, account, id string, now time.Time,
	change func(*Webhook) error) (Webhook, error) {
	var w Webhook
	err := d.Transact(ctx, func(tx *sql.Tx) (err error) {
		// An update without effect locks the row in both databases.
		if err := database.ChangeOne(ctx, tx, op.ErrUnknown,
			`UPDATE webhooks SET account = account WHERE id = $1 AND account = $2`, id, account); err != nil {
			return err
		}
		if w, err = oneWebhook(ctx, tx, account, id); err != nil {
			return err
		}

		before := w.Disabled
		if err := change(&w); err != nil {
			return err
		}

		if err := database.Exec(ctx, tx, `UPDATE webhooks SET url = $1, all_lists = $2, kinds = $3, secrets = $4,
			key_id = $5, accepted = $6, disabled = $7, failing_since = $8, told = 1 WHERE ordinal = $9`,
			w.URL, database.Integer(w.Lists == nil), int64(w.Kinds), w.Secrets, w.Key, database.Integer(w.Accepted),
			textOrNull(w.Disabled),
			database.OrNull(w.FailingSince), w.Ordinal); err != nil {
			return err
		}

		if err := setLists(ctx, tx, &w); err != nil || before == "" || w.Disabled != "" {
			return err
		}

		return database.Exec(ctx, tx, `UPDATE deliveries SET due_at = $1 WHERE webhook = $2 AND due_at > $1`,
			now.UnixMilli(), w.Ordinal)
	})
	return w, database.Wrap("changing a webhook", err)
}

// DeleteWebhook deletes a webhook of an account and its deliveries.
func (d *DB) DeleteWebhook(ctx context.Context, account, id string) error {
	ordinal, err := database.One[int64](ctx, d.Writer, "deleting a webhook", op.ErrUnknown,
		`DELETE FROM webhooks WHERE id = $1 AND account = $2 RETURNING ordinal`, id, account)
	if err != nil {
		return err
	}
	return d.DeleteMany(ctx, "deleting the deliveries of a webhook", `DELETE FROM deliveries WHERE webhook = $1
		AND (number, list) IN (SELECT number, list FROM deliveries WHERE webhook = $1 LIMIT $2)`, ordinal)
}

// DeleteWebhooks deletes the webhooks that an account created until a given time, one by one, so that it never locks
// the rows of several at once.
func (d *DB) DeleteWebhooks(ctx context.Context, account string, until time.Time) error {
	ids, err := database.All[string](ctx, d.Writer, "listing webhooks",
		`SELECT id FROM webhooks WHERE account = $1 AND created_at <= $2`, account, until.UnixMilli())
	for _, id := range ids {
		if err := d.DeleteWebhook(ctx, account, id); err != nil && !errors.Is(err, op.ErrUnknown) {
			return err
		}
	}

	return err
}

// The reasons recorded for a webhook that was disabled because its last watch-list was deleted, or its key revoked.
const (
	NoWatchlist = "no_watchlist"
	KeyRevoked  = "key_revoked"
)

// DisableWebhooks disables the webhooks of an account that were made with revoked keys.
func (d *DB) DisableWebhooks(ctx context.Context, account string, revoked []string) error {
	hooks, err := d.Webhooks(ctx, account)
	for i := range hooks {
		if w := &hooks[i]; err == nil && w.Disabled == "" && slices.Contains(revoked, w.Key) {
			err = database.Exec(ctx, d.Writer, `UPDATE webhooks SET disabled = $1, told = 0
				WHERE ordinal = $2 AND key_id = $3 AND disabled IS NULL`, KeyRevoked, w.Ordinal, w.Key)
		}
	}

	return database.Wrap("disabling the webhooks of revoked keys", err)
}

// leaveList disables the webhooks that have no watch-list but the one being deleted. It runs in the same transaction,
// before the list's row is deleted. Otherwise these webhooks would stay active without ever getting an event.
func leaveList(ctx context.Context, tx *sql.Tx, list int64) error {
	return database.Wrap("disabling the webhooks of a watch-list", database.Exec(ctx, tx,
		`UPDATE webhooks SET disabled = '`+NoWatchlist+`', told = 0 WHERE disabled IS NULL AND all_lists = 0
		 AND ordinal IN (SELECT webhook FROM webhook_lists WHERE list = $1)
		 AND NOT EXISTS (SELECT 1 FROM webhook_lists other WHERE other.webhook = webhooks.ordinal
		 AND other.list <> $1)`, list))
}

// deletePending deletes the waiting deliveries of a deleted watch-list in short transactions. Settled ones stay listed.
func (d *DB) deletePending(ctx context.Context, account string, list int64) error {
	hooks, err := database.All[int64](ctx, d.Writer, "listing webhooks",
		`SELECT ordinal FROM webhooks WHERE account = $1`, account)
	for _, hook := range hooks {
		if err := d.DeleteMany(ctx, "deleting the deliveries of a watch-list",
			`DELETE FROM deliveries WHERE (webhook, number, list) IN
			(SELECT webhook, number, list FROM deliveries WHERE webhook = $1 AND list = $2 AND due_at IS NOT NULL
			LIMIT $3)`, hook, list); err != nil {
			return err
		}
	}

	return err
}

// Unnotified returns the disabled webhooks whose accounts have not been notified yet.
func (d *DB) Unnotified(ctx context.Context) ([]Webhook, error) {
	return database.All[Webhook](ctx, d.Reader, "looking for disabled webhooks",
		`SELECT `+webhookColumns+` FROM webhooks w WHERE w.told = 0 ORDER BY w.ordinal`)
}

// SetNotified records that an account has been notified of a disabled webhook.
func (d *DB) SetNotified(ctx context.Context, w *Webhook) error {
	return database.Wrap("noting that an account was notified", database.Exec(ctx, d.Writer,
		`UPDATE webhooks SET told = 1 WHERE ordinal = $1`, w.Ordinal))
}
