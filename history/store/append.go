package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"iter"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
)

// Append stores observations in one transaction, and returns when they are durable.
//
// The observations of a company are a chain, and so are those that were asked for about one past day. Of an
// observation that says the same as the one before it in its chain, only the day of the look is stored. Two processes
// that append the same observation at the same instant may both store it.
func (d *DB) Append(ctx context.Context, all []history.Observation) error {
	rows := make([]row, len(all))
	for i := range all {
		rows[i] = rowOf(&all[i])
	}
	slices.SortFunc(rows, compareRows) // the same order in all processes, against deadlocks

	err := d.Transact(ctx, func(tx *sql.Tx) error {
		for some := range rounds(rows) {
			if err := d.appendRows(ctx, tx, some); err != nil {
				return err
			}
		}
		return nil
	})
	return database.Doing("storing observations", err)
}

// row is an observation as it is stored.
type row struct {
	company     int64
	day         int64 // 0 for an ordinary observation
	at          int64
	fingerprint []byte
	record      []byte
}

func rowOf(o *history.Observation) row {
	r := row{
		company: int64(o.Company), at: o.At.UnixMilli(), fingerprint: o.Fingerprint[:], record: o.Record,
	}
	if o.Day != 0 && !o.Ordinary() {
		r.day = int64(o.Day)
	}
	return r
}

// lookedOn is the day in Bucharest on which the observation was made.
func (r *row) lookedOn() api.Date { return api.DateIn(time.UnixMilli(r.at), api.Bucharest) }

func (r *row) chained(to *row) bool { return r.company == to.company && r.day == to.day }

func compareRows(a, b row) int {
	return cmp.Or(cmp.Compare(a.company, b.company), cmp.Compare(a.day, b.day), cmp.Compare(a.at, b.at),
		bytes.Compare(a.fingerprint, b.fingerprint))
}

// rounds cuts sorted rows into pieces none of which has two rows of a chain. Usually there is one.
func rounds(rows []row) iter.Seq[[]row] {
	return func(yield func([]row) bool) {
		for len(rows) > 0 {
			n := 1
			for n < len(rows) && !rows[n].chained(&rows[n-1]) {
				n++
			}
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// appendRows stores rows of different chains.
func (d *DB) appendRows(ctx context.Context, tx *sql.Tx, rows []row) error {
	same, err := d.unchanged(ctx, tx, rows)
	if err != nil {
		return err
	}

	var changed, past []any
	var looks [12][]any
	for i, r := range rows {
		switch {
		case !same[i]:
			changed = append(changed, r.company, r.day, r.at, r.fingerprint, r.record)
		case r.day != 0:
			past = append(past, r.company, r.day, int64(r.lookedOn()))
		default:
			year, month, date := r.lookedOn().UTC().Date()
			looks[month-1] = append(looks[month-1], r.company, year, 1<<(date-1))
		}
	}

	err = cmp.Or(d.statements.Exec(ctx, tx, insertObservations, changed), d.statements.Exec(ctx, tx, insertPastLooks, past))
	for month, args := range looks {
		err = cmp.Or(err, d.statements.Exec(ctx, tx, insertLooks[month], args))
	}
	return err
}

// unchanged reports of each row whether the one before it in its chain says the same.
func (d *DB) unchanged(ctx context.Context, tx *sql.Tx, rows []row) ([]bool, error) {
	args := make([]any, 0, 4*len(rows))
	for i, r := range rows {
		args = append(args, i, r.company, r.day, r.at)
	}

	same := make([]bool, len(rows))
	err := d.statements.Query(ctx, tx, selectLast, args, func(found *sql.Rows) error {
		var i int
		var last sql.RawBytes
		err := found.Scan(&i, &last)
		if err == nil {
			same[i] = bytes.Equal(last, rows[i].fingerprint)
		}
		return err
	})
	return same, err
}
