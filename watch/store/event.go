package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/rodata/rodata/internal/database"
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
