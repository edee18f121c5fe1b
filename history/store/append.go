package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
)

// atOnce is how many observations one statement is about. One more costs less than another statement, but the time in
// which SQLite parses parameters grows with the square of their number.
const atOnce = 32

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
		for some := range chunks(rows) {
			if err := appendRows(ctx, tx, some); err != nil {
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

// chunks cuts sorted rows into pieces of one statement, none of which has two rows of a chain.
func chunks(rows []row) iter.Seq[[]row] {
	return func(yield func([]row) bool) {
		for len(rows) > 0 {
			n := 1
			for n < min(len(rows), atOnce) && !rows[n].chained(&rows[n-1]) {
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
func appendRows(ctx context.Context, tx *sql.Tx, rows []row) error {
	same, err := unchanged(ctx, tx, rows)
	if err != nil {
		return err
	}

	var changed, past []row
	looks := make(map[time.Month][]row)
	for i, r := range rows {
		switch {
		case !same[i]:
			changed = append(changed, r)
		case r.day != 0:
			past = append(past, r)
		default:
			month := r.lookedOn().UTC().Month()
			looks[month] = append(looks[month], r)
		}
	}

	if err := insertRows(ctx, tx, changed); err != nil {
		return err
	}
	for month := time.January; month <= time.December; month++ {
		if err := insertLooks(ctx, tx, month, looks[month]); err != nil {
			return err
		}
	}
	return insertPastLooks(ctx, tx, past)
}

// unchanged reports of each row whether the one before it in its chain says the same.
func unchanged(ctx context.Context, tx *sql.Tx, rows []row) ([]bool, error) {
	args := make([]any, 0, 4*len(rows))
	for i, r := range rows {
		args = append(args, i, r.company, r.day, r.at)
	}

	query := `SELECT a.column1, (SELECT o.fingerprint FROM observations o
			WHERE o.company = a.column2 AND o.day = a.column3 AND o.at <= a.column4
			ORDER BY o.at DESC, o.fingerprint DESC LIMIT 1)
		FROM (VALUES ` + tuples(len(rows), "INTEGER", "BIGINT", "INTEGER", "BIGINT") + `) AS a`
	found, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()

	same := make([]bool, len(rows))
	for found.Next() {
		var i int
		var last []byte
		if err := found.Scan(&i, &last); err != nil {
			return nil, err
		}
		same[i] = bytes.Equal(last, rows[i].fingerprint)
	}
	return same, found.Err()
}

func insertRows(ctx context.Context, tx *sql.Tx, rows []row) error {
	args := make([]any, 0, 5*len(rows))
	for _, r := range rows {
		args = append(args, r.company, r.day, r.at, r.fingerprint, r.record)
	}
	return insert(ctx, tx, `INSERT INTO observations (company, day, at, fingerprint, record) VALUES %s
		ON CONFLICT DO NOTHING`, len(rows), args)
}

// insertLooks sets the bits of looks of one month.
func insertLooks(ctx context.Context, tx *sql.Tx, month time.Month, rows []row) error {
	args := make([]any, 0, 3*len(rows))
	for _, r := range rows {
		on := r.lookedOn().UTC()
		args = append(args, r.company, on.Year(), 1<<(on.Day()-1))
	}

	column := fmt.Sprintf("month_%d", month)
	statement := strings.ReplaceAll(`INSERT INTO looks (company, year, MONTH) VALUES %s
		ON CONFLICT (company, year) DO UPDATE SET MONTH = looks.MONTH | excluded.MONTH
		WHERE looks.MONTH & excluded.MONTH = 0`, "MONTH", column)
	return insert(ctx, tx, statement, len(rows), args)
}

func insertPastLooks(ctx context.Context, tx *sql.Tx, rows []row) error {
	args := make([]any, 0, 3*len(rows))
	for _, r := range rows {
		args = append(args, r.company, r.day, int64(r.lookedOn()))
	}
	return insert(ctx, tx, `INSERT INTO past_looks (company, day, looked_on) VALUES %s ON CONFLICT DO NOTHING`,
		len(rows), args)
}

// insert executes a statement with n rows of values, unless there are none.
func insert(ctx context.Context, tx *sql.Tx, statement string, n int, args []any) error {
	if n == 0 {
		return nil
	}
	columns := make([]string, len(args)/n)
	return database.Exec(ctx, tx, fmt.Sprintf(statement, tuples(n, columns...)), args...)
}

// tuples are n rows of parameters, each with a type unless it is empty. PostgreSQL needs types in a VALUES list that is
// not inserted anywhere.
func tuples(n int, types ...string) string {
	var text strings.Builder
	for i := range n * len(types) {
		switch {
		case i == 0:
			text.WriteString("(")
		case i%len(types) == 0:
			text.WriteString("), (")
		default:
			text.WriteString(", ")
		}

		if kind := types[i%len(types)]; kind != "" {
			fmt.Fprintf(&text, "CAST($%d AS %s)", i+1, kind)
		} else {
			fmt.Fprintf(&text, "$%d", i+1)
		}
	}

	return text.String() + ")"
}
