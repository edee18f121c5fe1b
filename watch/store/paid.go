package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/rodata/rodata/api/monitoring"
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

// Unpaid returns, for each account, the given companies that it watches but has not paid for in the month.
func (d *DB) Unpaid(ctx context.Context, companies []ro.CUI, month watch.Month) (map[string][]ro.CUI, error) {
	found, err := allOf[struct {
		Account string
		Company ro.CUI
	}](ctx, d, "finding accounts that have not paid for the month",
		`SELECT DISTINCT w.account, w.company FROM watched w JOIN watchlists s ON s.ordinal = w.list
			AND s.account = w.account`+joinPaid+`
		 WHERE `+unpaidFor+` AND w.company IN (VALUES %s) ORDER BY w.account, w.company`, companies, int(month))
	all := make(map[string][]ro.CUI)
	for _, v := range found {
		all[v.Account] = append(all[v.Account], v.Company)
	}

	return all, err
}

// Paid returns the given companies that at least one account watches and has paid for in the month.
func (d *DB) Paid(ctx context.Context, companies []ro.CUI, month watch.Month) (map[ro.CUI]bool, error) {
	paid, err := allOf[ro.CUI](ctx, d, "finding the companies that are paid for",
		`SELECT DISTINCT w.company FROM watched w JOIN paid p ON p.account = w.account AND p.company = w.company
		 WHERE p.month >= $1 AND w.company IN (VALUES %s)`, companies, int(month))
	all := make(map[ro.CUI]bool, len(paid))
	for _, company := range paid {
		all[company] = true
	}

	return all, err
}

// SetUnpaid marks the watch-lists of an account in which the month of some company is unpaid. In the same transaction
// it writes one event for each list that was not marked before, and returns the number of events.
func (d *DB) SetUnpaid(ctx context.Context, account string, month watch.Month, at time.Time) (added int, err error) {
	type list struct {
		Ordinal, Kinds int64
		Name           string
	}
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		added = 0
		lists, err := database.All[list](ctx, tx, "marking watch-lists",
			`UPDATE watchlists SET unpaid = $1 WHERE account = $2 AND (unpaid IS NULL OR unpaid < $1)
			AND EXISTS (SELECT 1 FROM watched w`+joinPaid+` WHERE w.list = watchlists.ordinal AND `+unpaidFor+`)
			RETURNING ordinal, kinds, name`, int(month), account)
		for _, l := range lists {
			if err != nil || monitoring.EventSet(l.Kinds)&monitoring.SetOf(monitoring.WatchlistUnpaid) == 0 {
				continue
			}

			added++
			err = d.AddTo(ctx, tx, account, l.Ordinal, watch.Event{
				At: at, Type: monitoring.WatchlistUnpaid, Name: &l.Name, Severity: monitoring.Low,
				Source: monitoring.EventSource{Name: "rodata"},
			})
		}

		return err
	})
	return added, database.Wrap("noting that account "+account+" cannot pay for its watch-lists", err)
}

// ClearUnpaid removes the mark from the watch-lists of an account in which everything is paid for, and marks of earlier
// months, which are no longer charged.
func (d *DB) ClearUnpaid(ctx context.Context, account string, month watch.Month) error {
	return database.Wrap("noting that the watch-lists of account "+account+" are paid for",
		database.Exec(ctx, d.Writer, `UPDATE watchlists SET unpaid = NULL WHERE account = $2 AND unpaid IS NOT NULL
			AND (unpaid < $1 OR NOT EXISTS
				(SELECT 1 FROM watched w`+joinPaid+` WHERE w.list = watchlists.ordinal AND `+unpaidFor+`))`, int(month), account))
}

// Debtors returns the accounts with watch-lists marked as unpaid.
func (d *DB) Debtors(ctx context.Context) ([]string, error) {
	return database.All[string](ctx, d.Reader, "finding unpaid watch-lists",
		`SELECT DISTINCT account FROM watchlists WHERE unpaid IS NOT NULL ORDER BY account`)
}

// Debts returns companies in an account's unpaid watch-lists that it has not paid for in the month, at most limit.
func (d *DB) Debts(ctx context.Context, account string, month watch.Month, limit int) ([]ro.CUI, error) {
	return database.All[ro.CUI](ctx, d.Reader, "finding companies that are not paid for",
		`SELECT DISTINCT w.company FROM watched w JOIN watchlists s ON s.ordinal = w.list`+joinPaid+`
		 WHERE `+unpaidFor+` AND s.unpaid = $1 AND w.account = $2 ORDER BY w.company LIMIT $3`,
		int(month), account, limit)
}
