package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
)

// queryBatch is the number of companies in one query: SQLite takes long to parse larger ones, and PostgreSQL accepts at
// most 65,535 parameters.
const queryBatch = 100

// allOf executes a query about companies, queryBatch at a time. The parameters of the companies replace %s in its
// text, and are numbered after those of first.
func allOf[T any](ctx context.Context, d *DB, doing, query string, companies []ro.CUI, first ...any) (
	all []T, err error) {
	for some := range slices.Chunk(companies, queryBatch) {
		args := slices.Clone(first)
		rows := make([]string, len(some))
		for i, company := range some {
			args = append(args, int64(company))
			rows[i] = fmt.Sprintf("(CAST($%d AS BIGINT))", len(args))
		}

		statement := fmt.Sprintf(query, strings.Join(rows, ", "))
		found, err := database.All[T](ctx, d.Reader, doing, statement, args...)
		if err != nil {
			return nil, err
		}

		all = append(all, found...)
	}

	return all, nil
}
