package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"iter"
	"slices"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
)

// Append stores observations in one transaction, and returns when they are durable.
//
// The ordinary observations of a company form a chain, and so do its observations for one past day. If an observation
// has the same content as the previous one in its chain, only its day is stored. Two processes that append the same
// observation at the same time may both store it.
func (d *DB) Append(ctx context.Context, all []history.Observation) error {
	return d.Transact(ctx, func(tx *sql.Tx) error {
		_, err := d.AppendIn(ctx, tx, all)
		return err
	})
}

// AppendIn is like Append, in the caller's transaction. It returns the new ordinary observations, in the order of
// companies and time.
func (d *DB) AppendIn(ctx context.Context, tx *sql.Tx,
	all []history.Observation) (changes []history.Change, err error) {
	rows := make([]row, len(all))
	for i := range all {
		rows[i] = rowOf(&all[i])
	}

	slices.SortFunc(rows, compareRows) // the same order in all processes, to prevent deadlocks
	for some := range rounds(rows) {
		added, err := d.appendRows(ctx, tx, some)
		if err != nil {
			return nil, database.Wrap("storing observations", err)
		}

		changes = append(changes, added...)
	}

	return changes, nil
}

// row is an observation as stored.
type row struct {
	Company     int64
	Day         int64 // 0 for an ordinary observation
	At          int64
	Fingerprint []byte
	Record      []byte
}

func rowOf(o *history.Observation) row {
	r := row{Company: int64(o.Company), At: o.At.UnixMilli(), Fingerprint: o.Fingerprint[:], Record: o.Record}
	if o.Day != 0 && !o.Ordinary() {
		r.Day = int64(o.Day)
	}
	return r
}

// observedOn returns the day in Bucharest on which the observation was made.
func (r *row) observedOn() ro.Date { return ro.DateIn(time.UnixMilli(r.At), ro.Bucharest) }

func (r *row) isSameChain(to *row) bool { return r.Company == to.Company && r.Day == to.Day }

func compareRows(a, b row) int {
	return cmp.Or(cmp.Compare(a.Company, b.Company), cmp.Compare(a.Day, b.Day), cmp.Compare(a.At, b.At),
		bytes.Compare(a.Fingerprint, b.Fingerprint))
}

// rounds splits sorted rows into pieces with at most one row per chain. Usually there is only one piece.
func rounds(rows []row) iter.Seq[[]row] {
	return func(yield func([]row) bool) {
		for len(rows) > 0 {
			n := 1
			for n < len(rows) && !rows[n].isSameChain(&rows[n-1]) {
				n++
			}
			if !yield(rows[:n]) {
				return
			}

			rows = rows[n:]
		}
	}
}

// appendRows stores rows of distinct chains, and returns the new ordinary ones.
func (d *DB) appendRows(ctx context.Context, tx *sql.Tx, rows []row) ([]history.Change, error) {
	last, err := d.lastOf(ctx, tx, rows)
	if err != nil {
		return nil, err
	}

	var changed, past []any
	var looks [12][]any
	var news []change
	for i, r := range rows {
		switch {
		case !bytes.Equal(last[i], r.Fingerprint):
			changed = append(changed, r.Company, r.Day, r.At, r.Fingerprint, r.Record)
			if r.Day == 0 {
				news = append(news, change{r, last[i]})
			}
		case r.Day != 0:
			past = append(past, r.Company, r.Day, int64(r.observedOn()))
		default:
			year, month, date := r.observedOn().UTC().Date()
			looks[month-1] = append(looks[month-1], r.Company, year, 1<<(date-1))
		}
	}

	changes, err := d.changes(ctx, tx, news) // before the new rows are inserted
	if err != nil {
		return nil, err
	}
	if err := d.Statements.Exec(ctx, tx, insertObservations, changed); err != nil {
		return nil, err
	}
	if err := d.Statements.Exec(ctx, tx, insertPastLooks, past); err != nil {
		return nil, err
	}

	for month, args := range looks {
		if err := d.Statements.Exec(ctx, tx, insertLooks[month], args); err != nil {
			return nil, err
		}
	}

	return changes, nil
}

// lastOf returns, for each row, the fingerprint of the row before it in its chain, or nil.
func (d *DB) lastOf(ctx context.Context, tx *sql.Tx, rows []row) ([][]byte, error) {
	args := make([]any, 0, 4*len(rows))
	for i, r := range rows {
		args = append(args, i, r.Company, r.Day, r.At)
	}

	last := make([][]byte, len(rows))
	err := d.Statements.Query(ctx, tx, selectLast, args, func(found *sql.Rows) error {
		var i int
		var fingerprint sql.RawBytes
		err := found.Scan(&i, &fingerprint)
		switch {
		case err != nil:
			return err
		case bytes.Equal(fingerprint, rows[i].Fingerprint):
			last[i] = rows[i].Fingerprint
		case fingerprint != nil:
			last[i] = bytes.Clone(fingerprint)
		}

		return nil
	})
	return last, err
}

// change is a new ordinary row, with the fingerprint of the previous row or nil.
type change struct {
	row
	last []byte
}

// changes returns the new observations, each with the observation before it, which it reads.
func (d *DB) changes(ctx context.Context, tx *sql.Tx, news []change) ([]history.Change, error) {
	all := make([]history.Change, len(news))
	var args []any
	for i, n := range news {
		all[i].After = n.observation()
		if n.last != nil {
			args = append(args, i, n.Company, n.At)
		}
	}

	err := d.Statements.Query(ctx, tx, selectBefore, args, func(found *sql.Rows) error {
		var i int
		var before row
		var superseded bool
		if err := found.Scan(&i, &before.At, &before.Record, &superseded); err != nil {
			return err
		}

		all[i].Superseded = superseded
		before.Company, before.Fingerprint = news[i].Company, news[i].last
		all[i].Before = before.observation()
		return nil
	})
	return all, err
}

// observation converts a row to an observation.
func (r *row) observation() history.Observation {
	return history.Observation{
		Company: ro.CUI(r.Company), Day: cmp.Or(ro.Date(r.Day), r.observedOn()), At: time.UnixMilli(r.At).UTC(),
		Fingerprint: [16]byte(r.Fingerprint), Record: r.Record,
	}
}
