package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

var (
	insertEvents = &database.Statement{
		Text:  `INSERT INTO events (number, company, at, kinds, document) VALUES %s`,
		Types: make([]string, 5),
	}
	// The fan-out: one row for each watch-list that contains the company and wants one of the kinds.
	insertFeed = &database.Statement{
		Text: `INSERT INTO feed (number, list, account, company, reference, kinds)
			SELECT a.column1, w.list, w.account, w.company, w.reference, a.column3
			FROM (VALUES %s) AS a JOIN watched w ON w.company = a.column2 JOIN watchlists l ON l.ordinal = w.list
			WHERE (l.kinds & a.column3) <> 0`,
		Types: []string{"BIGINT", "BIGINT", "BIGINT"},
	}
)

// Add writes events, with their fan-out to watch-lists and webhooks, in a transaction. From then on the transaction
// locks the counter of events. Event numbers therefore rise in the order of commits, so a reader that continues after a
// number misses no event. The transaction should end soon, and take its other locks first. After the commit, call
// [watch.Hub.Wake] to wake followers.
func (d *DB) Add(ctx context.Context, tx *sql.Tx, events ...watch.Event) error {
	if len(events) == 0 {
		return nil
	}

	first, err := d.write(ctx, tx, events)
	if err != nil {
		return err
	}

	rows := make([]any, 0, 3*len(events))
	for i := range events {
		if e := &events[i]; e.Company != 0 {
			rows = append(rows, first+int64(i), int64(e.Company), int64(e.Kinds()))
		}
	}

	if err := d.Statements.Exec(ctx, tx, insertFeed, rows); err != nil {
		return database.Wrap("adding events to the feeds of watch-lists", err)
	}

	return queueDeliveries(ctx, tx, first, first+int64(len(events))-1, events[0].At)
}

// AddTo is like Add, for an event of one account only. The list is 0 for an event outside watch-lists.
func (d *DB) AddTo(ctx context.Context, tx *sql.Tx, account string, list int64, e watch.Event) error {
	number, err := d.write(ctx, tx, []watch.Event{e})
	if err != nil {
		return err
	}

	if err := database.Exec(ctx, tx,
		`INSERT INTO feed (number, list, account, company, kinds) VALUES ($1, $2, $3, $4, $5)`,
		number, list, account, companyOf(&e), int64(e.Kinds())); err != nil {
		return database.Wrap("adding an event to the feed of an account", err)
	}

	return queueDeliveries(ctx, tx, number, number, e.At)
}

// holdCounter locks the counter of events at the beginning of a transaction, so that only one such transaction runs.
func holdCounter(ctx context.Context, tx *sql.Tx) error {
	return database.Exec(ctx, tx, `UPDATE watch_counters SET value = value WHERE name = 'events'`)
}

// write numbers and stores events, and returns the first number.
func (d *DB) write(ctx context.Context, tx *sql.Tx, events []watch.Event) (first int64, err error) {
	rows := make([]any, 0, 5*len(events))
	for i := range events {
		document, err := json.Marshal(&events[i])
		if err != nil {
			return 0, database.Wrap("writing an event", err)
		}

		e := &events[i]
		rows = append(rows, nil, companyOf(e), e.At.UnixMilli(), int64(e.Kinds()), string(document))
	}

	last, err := database.One[int64](ctx, tx, "numbering events", sql.ErrNoRows,
		`UPDATE watch_counters SET value = value + $1 WHERE name = 'events' RETURNING value`, len(events))
	if err != nil {
		return 0, err
	}

	first = last - int64(len(events)) + 1
	for i := range events {
		rows[5*i] = first + int64(i)
	}

	return first, database.Wrap("writing events", d.Statements.Exec(ctx, tx, insertEvents, rows))
}

func companyOf(e *watch.Event) sql.NullInt64 {
	return sql.NullInt64{Int64: int64(e.Company), Valid: e.Company != 0}
}

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

// Publish records the day of a register's newest publication. If it is newer than the recorded day, it writes an event
// to the accounts with a watch-list or webhook that selects its kind. If processes publish concurrently, only one
// writes the event. The first recorded publication writes no event.
func (d *DB) Publish(ctx context.Context, register string, day ro.Date, e watch.Event) (added bool, err error) {
	noted, err := d.Noted(ctx, register)
	if err != nil || noted >= day {
		return false, err
	}

	err = d.Transact(ctx, func(tx *sql.Tx) error {
		newer, err := note(ctx, tx, register, day)
		if err != nil || !newer || noted == 0 {
			return err
		}

		added = true
		number, err := d.write(ctx, tx, []watch.Event{e})
		if err != nil {
			return err
		}

		err = database.Exec(ctx, tx, `INSERT INTO feed (number, list, account, kinds)
			SELECT CAST($1 AS BIGINT), 0, a.account, CAST($2 AS BIGINT) FROM (
				SELECT account FROM webhooks WHERE disabled IS NULL AND (kinds & $2) <> 0
				UNION SELECT account FROM watchlists WHERE (kinds & $2) <> 0) AS a`, number, int64(e.Kinds()))
		if err != nil {
			return err
		}

		return queueDeliveries(ctx, tx, number, number, e.At)
	})
	return added && err == nil, database.Wrap("noting a publication of "+register, err)
}

// Note records a day under a name, unless a later one is recorded.
func (d *DB) Note(ctx context.Context, name string, day ro.Date) error {
	_, err := note(ctx, d.Writer, name, day)
	return database.Wrap("noting "+name, err)
}

// Noted returns the day recorded under a name, or 0 if there is none.
func (d *DB) Noted(ctx context.Context, name string) (ro.Date, error) {
	return database.One[ro.Date](ctx, d.Reader, "reading the day noted for "+name, nil,
		`SELECT day FROM watch_notes WHERE name = $1`, name)
}

// note records a day, and reports whether it is later than the recorded one.
func note(ctx context.Context, db database.Execer, name string, day ro.Date) (bool, error) {
	n, err := database.Change(ctx, db, `INSERT INTO watch_notes (name, day) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET day = excluded.day WHERE watch_notes.day < excluded.day`, name, int64(day))
	return n > 0, err
}
