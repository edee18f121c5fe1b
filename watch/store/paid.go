package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

var (
	markPaid = &database.Statement{
		Text: `INSERT INTO paid (account, company, month) VALUES %s
			ON CONFLICT (account, company) DO UPDATE SET month = excluded.month WHERE paid.month < excluded.month
			RETURNING company`,
		Types: make([]string, 3),
	}
	unpay = &database.Statement{
		Text:  `DELETE FROM paid WHERE (account, company, month) IN (VALUES %s)`,
		Types: []string{"TEXT", "BIGINT", "BIGINT"},
	}
)

// MarkPaid marks companies as paid by an account for a month, and returns the newly marked ones. If calls run
// concurrently, only one returns each company. It calls agree with their number before it marks anything. If agree
// returns an error, MarkPaid wraps it and changes nothing. A caller that cannot charge for the returned
// companies must call Unpay.
func (d *DB) MarkPaid(
	ctx context.Context, account string, companies []ro.CUI, month watch.Month, agree func(due int) error,
) (due []ro.CUI, err error) {
	// The same order in all processes, to prevent deadlocks.
	sorted := slices.Compact(slices.Sorted(slices.Values(companies)))
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		due = nil
		err := d.Statements.Query(ctx, tx, markPaid, payments(account, sorted, month), func(r *sql.Rows) error {
			var company ro.CUI
			err := r.Scan(&company)
			due = append(due, company)
			return err
		})
		if err == nil && len(due) > 0 && agree != nil {
			err = agree(len(due))
		}

		return err
	})
	if err != nil {
		return nil, database.Wrap("marking companies as paid", err)
	}

	return due, nil
}

// Unpay undoes MarkPaid.
func (d *DB) Unpay(ctx context.Context, account string, companies []ro.CUI, month watch.Month) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		return d.Statements.Exec(ctx, tx, unpay, payments(account, companies, month))
	})
	return database.Wrap("taking back payments of companies", err)
}

// payments returns the arguments of statements about payments.
func payments(account string, companies []ro.CUI, month watch.Month) []any {
	args := make([]any, 0, 3*len(companies))
	for _, c := range companies {
		args = append(args, account, int64(c), int(month))
	}
	return args
}
