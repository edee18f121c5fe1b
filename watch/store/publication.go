package store

import (
	"context"
	"database/sql"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

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
