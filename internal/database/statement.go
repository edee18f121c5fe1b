package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Statement is a statement about several rows.
type Statement struct {
	// Text is the SQL with %s in place of the rows, which are written as in VALUES.
	Text string
	// Types are the SQL types of the parameters of a row. A type may be empty if PostgreSQL can infer it from a
	// column; it cannot do so in a VALUES list outside of an INSERT.
	Types []string
}

// For returns the statement for n rows.
func (s *Statement) For(n int) string {
	var rows strings.Builder
	for i := range n * len(s.Types) {
		switch {
		case i == 0:
			rows.WriteString("(")
		case i%len(s.Types) == 0:
			rows.WriteString("), (")
		default:
			rows.WriteString(", ")
		}

		if kind := s.Types[i%len(s.Types)]; kind != "" {
			fmt.Fprintf(&rows, "CAST($%d AS %s)", i+1, kind)
		} else {
			fmt.Fprintf(&rows, "$%d", i+1)
		}
	}

	return fmt.Sprintf(s.Text, rows.String()+")")
}

// Statements execute statements about several rows in transactions.
type Statements struct {
	sizes []int // the possible numbers of rows per statement, the largest first
	// prepared holds the prepared statements of every size, because SQLite would otherwise spend most of the time
	// parsing them. It is nil for PostgreSQL, where the driver caches statements.
	prepared map[statementKey]*sql.Stmt
}

type statementKey struct {
	*Statement
	rows int
}

var (
	sqliteSizes   = []int{32, 8, 1}         // parsing time grows with the square of the size
	postgresSizes = []int{100, 32, 8, 4, 1} // each statement is a round trip
)

func prepareSQLite(ctx context.Context, db *sql.DB, statements []*Statement) (Statements, error) {
	all := Statements{sizes: sqliteSizes, prepared: make(map[statementKey]*sql.Stmt)}
	for _, s := range statements {
		for _, rows := range all.sizes {
			stmt, err := db.PrepareContext(ctx, s.For(rows))
			if err != nil {
				return Statements{}, err
			}

			all.prepared[statementKey{s, rows}] = stmt
		}
	}

	return all, nil
}

// pieces splits the arguments of many rows into chunks for which there are prepared statements.
func (all *Statements) pieces(s *Statement, args []any) iter.Seq2[int, []any] {
	return func(yield func(rows int, args []any) bool) {
		for _, rows := range all.sizes {
			for n := rows * len(s.Types); len(args) >= n; args = args[n:] {
				if !yield(rows, args[:n]) {
					return
				}
			}
		}
	}
}

// Exec executes a statement for many rows, given their concatenated arguments.
func (all *Statements) Exec(ctx context.Context, tx *sql.Tx, s *Statement, args []any) error {
	for rows, some := range all.pieces(s, args) {
		var err error
		if stmt := all.prepared[statementKey{s, rows}]; stmt != nil {
			_, err = tx.StmtContext(ctx, stmt).ExecContext(ctx, some...)
		} else {
			_, err = tx.ExecContext(ctx, s.For(rows), some...)
		}

		if err != nil {
			return err
		}
	}

	return nil
}

// Query executes a statement for many rows, given their concatenated arguments, and scans the results.
func (all *Statements) Query(ctx context.Context, tx *sql.Tx, s *Statement, args []any,
	scan func(*sql.Rows) error) error {
	for rows, some := range all.pieces(s, args) {
		var found *sql.Rows
		var err error
		if stmt := all.prepared[statementKey{s, rows}]; stmt != nil {
			found, err = tx.StmtContext(ctx, stmt).QueryContext(ctx, some...)
		} else {
			found, err = tx.QueryContext(ctx, s.For(rows), some...)
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
