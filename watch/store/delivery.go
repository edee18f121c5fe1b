package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

// Delivery is an event queued for a webhook, with the outcome of the last attempt.
type Delivery struct {
	Webhook      int64 // its ordinal
	Number, List int64 // of the event
	Company      int64 // 0 for none
	CreatedAt    time.Time
	Tries        int
	DueAt        time.Time // of the next attempt; zero once delivered or given up
	Attempt
	// Event is the event to send. Its ID is empty when the event has been deleted.
	Event monitoring.Event
}

// State is what has become of the delivery.
func (v *Delivery) State() monitoring.DeliveryState {
	switch {
	case v.Delivered:
		return monitoring.Delivered
	case v.DueAt.IsZero():
		return monitoring.Failed
	}

	return monitoring.Pending
}

// Attempt is one attempt at a delivery.
type Attempt struct {
	At        time.Time // zero before the first one
	Delivered bool
	Status    int    // of the response; 0 without one
	Failure   string // the reason of a failure; empty for a success
	Duration  time.Duration
}

// queueDeliveries queues a range of events for the webhooks that want them, in the transaction that wrote the events
// and their fan-out. A new event is not due before the earlier events of the same company.
func queueDeliveries(ctx context.Context, tx *sql.Tx, first, last int64, at time.Time) error {
	return database.Wrap("queueing deliveries", database.Exec(ctx, tx, insertDeliveries, at.UnixMilli(), first, last))
}

const insertDeliveries = `INSERT INTO deliveries (webhook, number, list, company, created_at, tries, due_at)
	SELECT w.ordinal, f.number, f.list, f.company, CAST($1 AS BIGINT), 0, COALESCE((SELECT e.due_at
		FROM deliveries e WHERE e.webhook = w.ordinal AND e.company = f.company AND e.due_at IS NOT NULL
		ORDER BY e.number DESC, e.list DESC LIMIT 1), $1)
	FROM feed f JOIN webhooks w ON w.account = f.account
	WHERE f.number BETWEEN $2 AND $3 AND w.disabled IS NULL AND ` + wanted + `
	ON CONFLICT DO NOTHING`

// wanted is the condition that a webhook w wants the event of a feed row f. Events without a watch-list go to all
// webhooks.
const wanted = `(w.kinds & f.kinds) <> 0 AND (w.all_lists = 1 OR f.list = 0
	OR EXISTS (SELECT 1 FROM webhook_lists l WHERE l.webhook = w.ordinal AND l.list = f.list))`

// DueWebhooks returns the active webhooks with due deliveries.
func (d *DB) DueWebhooks(ctx context.Context, now time.Time) ([]Webhook, error) {
	return database.All[Webhook](ctx, d.Reader, "looking for due deliveries",
		`SELECT `+webhookColumns+` FROM webhooks w
		WHERE w.disabled IS NULL AND EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook = w.ordinal AND d.due_at <= $1)
		ORDER BY w.ordinal`, now.UnixMilli())
}

// NextDelivery returns the time of the first delivery due after a given time. It is zero if there is none.
func (d *DB) NextDelivery(ctx context.Context, after time.Time) (time.Time, error) {
	return database.One[time.Time](ctx, d.Reader, "finding the next due delivery", nil,
		`SELECT MIN((SELECT MIN(d.due_at) FROM deliveries d WHERE d.webhook = w.ordinal AND d.due_at > $1))
		 FROM webhooks w WHERE w.disabled IS NULL`, after.UnixMilli())
}

const (
	deliveryColumns = `d.webhook, d.number, d.list, COALESCE(d.company, 0) AS company, d.created_at, d.tries, d.due_at,
	d.tried_at, d.delivered, COALESCE(d.status, 0) AS status, COALESCE(d.failure, '') AS failure,
	COALESCE(d.duration, 0) AS milliseconds, f.reference, l.id AS watchlist, e.at AS event_at, e.document `
	joinEvents = ` d LEFT JOIN events e ON e.number = d.number
	LEFT JOIN feed f ON f.account = $1 AND f.number = d.number AND f.list = d.list
	LEFT JOIN watchlists l ON l.ordinal = d.list `
)

// deliveries reads deliveries of an account, with their events.
func (d *DB) deliveries(ctx context.Context, doing, account, query string, args ...any) ([]Delivery, error) {
	rows, err := database.All[struct {
		Delivery
		TriedAt, EventAt     time.Time
		Milliseconds         int64
		Reference, Watchlist *string
		Document             watch.Event
	}](ctx, d.Reader, doing, query, append([]any{account}, args...)...)
	all := make([]Delivery, len(rows))
	for i := range rows {
		r, v := &rows[i], &all[i]
		*v = r.Delivery
		v.At, v.Duration = r.TriedAt, time.Duration(r.Milliseconds)*time.Millisecond
		if !r.EventAt.IsZero() {
			r.Document.At, r.Document.Company = r.EventAt, ro.CUI(v.Company)
			v.Event = r.Document.In(watch.Position{Feed: monitoring.FeedOf(account), Number: v.Number, List: v.List,
				Watchlist: r.Watchlist, Reference: r.Reference})
		}
	}

	return all, err
}

// DueDeliveries returns up to limit due deliveries of a webhook, the oldest first. A delivery is not due while an
// earlier one of the same company is unsettled. A disabled or deleted webhook has no due deliveries.
func (d *DB) DueDeliveries(ctx context.Context, w *Webhook, now time.Time, limit int) ([]Delivery, error) {
	return d.deliveries(ctx, "reading due deliveries", w.Account, selectDue, w.Ordinal, now.UnixMilli(), limit)
}

// selectDue picks the deliveries before it joins their events, and finds the first delivery of each company by index.
// PostgreSQL's own plan would underestimate the backlog and join all of it row by row.
const selectDue = `SELECT ` + deliveryColumns + ` FROM (SELECT * FROM deliveries c
	WHERE c.webhook = $2 AND c.due_at <= $3
	AND EXISTS (SELECT 1 FROM webhooks w WHERE w.ordinal = $2 AND w.disabled IS NULL)
	AND (c.company IS NULL OR (c.number, c.list) = (SELECT p.number, p.list FROM deliveries p
		WHERE p.webhook = c.webhook AND p.company = c.company AND p.due_at IS NOT NULL ORDER BY p.number, p.list
		LIMIT 1))
	ORDER BY c.due_at, c.number, c.list LIMIT $4)` + joinEvents + `ORDER BY d.due_at, d.number, d.list`

var settleDeliveries = &database.Statement{
	Text: `UPDATE deliveries SET tries = a.column4, due_at = a.column5, delivered = a.column6, tried_at = a.column7,
		status = a.column8, failure = a.column9, duration = a.column10 FROM (VALUES %s) AS a
		WHERE deliveries.webhook = a.column1 AND deliveries.number = a.column2 AND deliveries.list = a.column3`,
	Types: []string{"BIGINT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "TEXT", "BIGINT"},
}

// Settle records attempts at deliveries, and the webhooks that they changed, in one transaction. If a delivery will be
// retried, later events of the same company wait for it.
func (d *DB) Settle(ctx context.Context, tried []Delivery, changed []Webhook) error {
	slices.SortFunc(tried, func(a, b Delivery) int { // the same order in all processes, to prevent deadlocks
		return cmp.Or(cmp.Compare(a.Webhook, b.Webhook), cmp.Compare(a.Number, b.Number), cmp.Compare(a.List, b.List))
	})
	slices.SortFunc(changed, func(a, b Webhook) int { return cmp.Compare(a.Ordinal, b.Ordinal) })

	rows := make([]any, 0, len(tried)*len(settleDeliveries.Types))
	for i := range tried {
		v := &tried[i]
		rows = append(rows, v.Webhook, v.Number, v.List, v.Tries, database.OrNull(v.DueAt),
			database.Integer(v.Delivered), v.At.UnixMilli(),
			sql.NullInt64{Int64: int64(v.Status), Valid: v.Status != 0}, textOrNull(v.Failure),
			v.Duration.Milliseconds())
	}

	return database.Wrap("recording deliveries", d.Transact(ctx, func(tx *sql.Tx) error {
		for i := range changed {
			if err := setHealth(ctx, tx, &changed[i]); err != nil {
				return err
			}
		}

		if err := d.Statements.Exec(ctx, tx, settleDeliveries, rows); err != nil {
			return err
		}

		for i := range tried {
			if v := &tried[i]; !v.DueAt.IsZero() && v.Company != 0 {
				if err := database.Exec(ctx, tx, postponeLater, v.DueAt.UnixMilli(), v.Webhook,
					v.Company); err != nil {
					return err
				}
			}
		}

		return nil
	}))
}

// The subquery finds the rows by the index on the company; SQLite would otherwise read all deliveries of the webhook.
const postponeLater = `UPDATE deliveries SET due_at = $1 WHERE (webhook, number, list) IN
	(SELECT webhook, number, list FROM deliveries p WHERE p.webhook = $2 AND p.company = $3 AND p.due_at IS NOT NULL
	AND p.due_at + 0 < $1)`

// setHealth records since when a webhook has been failing, or why it is disabled. It does nothing if the webhook has
// been disabled or given another URL since the attempt.
func setHealth(ctx context.Context, tx *sql.Tx, w *Webhook) error {
	if w.Disabled != "" {
		return database.Exec(ctx, tx, `UPDATE webhooks SET failing_since = $1, disabled = $2, told = 0
			WHERE ordinal = $3 AND url = $4 AND disabled IS NULL`,
			database.OrNull(w.FailingSince), w.Disabled, w.Ordinal, w.URL)
	}

	return database.Exec(ctx, tx, `UPDATE webhooks SET failing_since = $1,
		accepted = CASE WHEN $2 = 1 THEN 1 ELSE accepted END WHERE ordinal = $3 AND url = $4 AND disabled IS NULL`,
		database.OrNull(w.FailingSince), database.Integer(w.FailingSince.IsZero()), w.Ordinal, w.URL)
}

// SetAccepted records that the endpoint of a webhook has accepted an event at its URL.
func (d *DB) SetAccepted(ctx context.Context, w *Webhook) error {
	return database.Wrap("recording that an endpoint accepts events", database.Exec(ctx, d.Writer,
		`UPDATE webhooks SET accepted = 1 WHERE ordinal = $1 AND url = $2 AND accepted = 0`, w.Ordinal, w.URL))
}

func textOrNull(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// Deliveries lists deliveries of a webhook before a position in its account's feed, the newest first.
func (d *DB) Deliveries(ctx context.Context, w *Webhook, before monitoring.EventCursor, state monitoring.DeliveryState,
	limit int) ([]Delivery, error) {
	of := map[monitoring.DeliveryState]string{
		monitoring.Pending: ` AND d.due_at IS NOT NULL`, monitoring.Delivered: ` AND d.delivered = 1`,
		monitoring.Failed: ` AND d.due_at IS NULL AND d.delivered = 0`,
	}[state]
	return d.deliveries(ctx, "listing deliveries", w.Account,
		`SELECT `+deliveryColumns+`FROM deliveries`+joinEvents+`
		WHERE d.webhook = $2 AND d.number <= $3 AND (d.number < $3 OR d.list < $4)`+of+`
		ORDER BY d.number DESC, d.list DESC LIMIT $5`, w.Ordinal, before.Number, before.List, limit)
}

// RetryDelivery makes a delivery due now and restarts its schedule, even if it has succeeded. The error is
// monitoring.ErrNoDelivery if there is none.
func (d *DB) RetryDelivery(ctx context.Context, w *Webhook, number, list int64, now time.Time) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		company, err := database.One[sql.NullInt64](ctx, tx, "finding a delivery", monitoring.ErrNoDelivery,
			`UPDATE deliveries SET due_at = $1, tries = 0, delivered = 0
			 WHERE webhook = $2 AND number = $3 AND list = $4 RETURNING company`,
			now.UnixMilli(), w.Ordinal, number, list)
		if err != nil {
			return err
		}
		return database.Exec(ctx, tx, `UPDATE deliveries SET due_at = $1
			WHERE webhook = $2 AND company = $3 AND due_at > $1`, now.UnixMilli(), w.Ordinal, company)
	})
	return database.Wrap("retrying a delivery", err)
}

// Replay queues up to most events after a position in the account's feed that the webhook wants, whether or not they
// were delivered before. It returns their number and the position of the last one.
func (d *DB) Replay(ctx context.Context, w *Webhook, after monitoring.EventCursor, now time.Time,
	most int) (int, monitoring.EventCursor, error) {
	queued, err := database.All[monitoring.EventCursor](ctx, d.Writer, "queueing a replay",
		`INSERT INTO deliveries (webhook, number, list, company, created_at, tries, due_at)
		 SELECT w.ordinal, f.number, f.list, f.company, CAST($1 AS BIGINT), 0, $1
		 FROM feed f JOIN webhooks w ON w.ordinal = $2
		 WHERE f.account = $3 AND f.number >= $4 AND (f.number > $4 OR f.list > $5) AND `+wanted+`
		 ORDER BY f.number, f.list LIMIT $6
		 ON CONFLICT (webhook, number, list) DO UPDATE SET due_at = excluded.due_at, tries = 0, delivered = 0
		 RETURNING number, list`, now.UnixMilli(), w.Ordinal, w.Account, after.Number, after.List, most)
	last := after
	for _, c := range queued {
		if c.Number > last.Number || c.Number == last.Number && c.List > last.List {
			last.Number, last.List = c.Number, c.List
		}
	}

	return len(queued), last, err
}

// ForgetDeliveries deletes deliveries queued before a given time.
func (d *DB) ForgetDeliveries(ctx context.Context, before time.Time) error {
	return d.DeleteMany(ctx, "deleting old deliveries", `DELETE FROM deliveries WHERE (webhook, number, list) IN
		(SELECT webhook, number, list FROM deliveries WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before.UnixMilli())
}

// Backlog summarizes the deliveries of all webhooks.
type Backlog struct {
	// Oldest is the due time of the oldest waiting delivery of webhooks that are not failing. It is zero if there is
	// none.
	Oldest time.Time
	// Active and Disabled are the numbers of webhooks.
	Active, Disabled int
}

// Backlog returns the backlog of all webhooks.
func (d *DB) Backlog(ctx context.Context) (Backlog, error) {
	return database.One[Backlog](ctx, d.Reader, "reading the backlog of deliveries", nil,
		`SELECT MIN(CASE WHEN w.disabled IS NULL AND w.failing_since IS NULL THEN
			(SELECT MIN(d.due_at) FROM deliveries d WHERE d.webhook = w.ordinal AND d.due_at IS NOT NULL) END) AS oldest,
		COUNT(CASE WHEN w.disabled IS NULL THEN 1 END) AS active, COUNT(w.disabled) AS disabled FROM webhooks w`)
}
