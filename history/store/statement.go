package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// statement is one about several rows, whose parameters are in the place of %s.
type statement struct {
	text  string
	types []string // of the parameters of a row; empty where they follow from the column
}

var (
	// PostgreSQL needs types in a VALUES list that is not inserted anywhere.
	selectLast = &statement{`SELECT a.column1, (SELECT o.fingerprint FROM observations o
		WHERE o.company = a.column2 AND o.day = a.column3 AND o.at <= a.column4
		ORDER BY o.at DESC, o.fingerprint DESC LIMIT 1) FROM (VALUES %s) AS a`,
		[]string{"INTEGER", "BIGINT", "INTEGER", "BIGINT"}}
	insertObservations = &statement{`INSERT INTO observations (company, day, at, fingerprint, record) VALUES %s
		ON CONFLICT DO NOTHING`, make([]string, 5)}
	insertPastLooks = &statement{`INSERT INTO past_looks (company, day, looked_on) VALUES %s ON CONFLICT DO NOTHING`,
		make([]string, 3)}
	insertLooks = looksByMonth()
)

// looksByMonth are the statements that set bits of a month.
func looksByMonth() (all [12]*statement) {
	for i := range all {
		text := strings.ReplaceAll(`INSERT INTO looks (company, year, MONTH) VALUES %s
			ON CONFLICT (company, year) DO UPDATE SET MONTH = looks.MONTH | excluded.MONTH
			WHERE looks.MONTH & excluded.MONTH = 0`, "MONTH", fmt.Sprintf("month_%d", i+1))
		all[i] = &statement{text, make([]string, 3)}
	}
	return all
}

// of is the statement about n rows.
func (s *statement) of(n int) string {
	var rows strings.Builder
	for i := range n * len(s.types) {
		switch {
		case i == 0:
			rows.WriteString("(")
		case i%len(s.types) == 0:
			rows.WriteString("), (")
		default:
			rows.WriteString(", ")
		}

		if kind := s.types[i%len(s.types)]; kind != "" {
			fmt.Fprintf(&rows, "CAST($%d AS %s)", i+1, kind)
		} else {
			fmt.Fprintf(&rows, "$%d", i+1)
		}
	}

	return fmt.Sprintf(s.text, rows.String()+")")
}

// statements execute statements in transactions.
type statements struct {
	sizes []int // how many rows a statement may be about, the largest first
	// prepared are the statements of every size, nil for PostgreSQL, whose driver remembers them. SQLite would spend
	// most of their time on parsing them.
	prepared map[prepared]*sql.Stmt
}

type prepared struct {
	*statement
	rows int
}

var (
	sqliteSizes   = []int{32, 8, 1}         // the time of parsing grows with the square of the size
	postgresSizes = []int{100, 32, 8, 4, 1} // each statement is a round trip
)

// prepare prepares the statements for SQLite.
func prepare(ctx context.Context, db *sql.DB) (statements, error) {
	all := statements{sizes: sqliteSizes, prepared: make(map[prepared]*sql.Stmt)}
	for _, s := range append(insertLooks[:], selectLast, insertObservations, insertPastLooks) {
		for _, rows := range all.sizes {
			stmt, err := db.PrepareContext(ctx, s.of(rows))
			if err != nil {
				return statements{}, err
			}
			all.prepared[prepared{s, rows}] = stmt
		}
	}
	return all, nil
}

// pieces cuts the arguments of a statement into those of statements of the known sizes.
func (all *statements) pieces(s *statement, args []any) iter.Seq2[int, []any] {
	return func(yield func(rows int, args []any) bool) {
		for _, rows := range all.sizes {
			for n := rows * len(s.types); len(args) >= n; args = args[n:] {
				if !yield(rows, args[:n]) {
					return
				}
			}
		}
	}
}

// exec executes a statement about the rows of which the arguments are.
func (all *statements) exec(ctx context.Context, tx *sql.Tx, s *statement, args []any) error {
	for rows, some := range all.pieces(s, args) {
		var err error
		if stmt := all.prepared[prepared{s, rows}]; stmt != nil {
			_, err = tx.StmtContext(ctx, stmt).ExecContext(ctx, some...)
		} else {
			_, err = tx.ExecContext(ctx, s.of(rows), some...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// query scans what a statement finds for the rows of which the arguments are.
func (all *statements) query(ctx context.Context, tx *sql.Tx, s *statement, args []any,
	scan func(*sql.Rows) error) error {
	for rows, some := range all.pieces(s, args) {
		var found *sql.Rows
		var err error
		if stmt := all.prepared[prepared{s, rows}]; stmt != nil {
			found, err = tx.StmtContext(ctx, stmt).QueryContext(ctx, some...)
		} else {
			found, err = tx.QueryContext(ctx, s.of(rows), some...)
		}
		if err != nil {
			return err
		}

		for err == nil && found.Next() {
			err = scan(found)
		}
		if err := errors.Join(err, found.Err(), found.Close()); err != nil {
			return err
		}
	}
	return nil
}
