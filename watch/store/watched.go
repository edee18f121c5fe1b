package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

var (
	selectWatched = &database.Statement{
		Text:  `SELECT company, COALESCE(reference, '') FROM watched WHERE (list, company) IN (VALUES %s)`,
		Types: []string{"BIGINT", "BIGINT"},
	}
	// An empty reference keeps the stored one.
	saveWatched = &database.Statement{
		Text: `INSERT INTO watched (list, company, account, reference, added_at) VALUES %s
		ON CONFLICT (list, company) DO UPDATE SET reference = excluded.reference WHERE excluded.reference IS NOT NULL`,
		Types: make([]string, 5),
	}
	deleteWatched = &database.Statement{
		Text:  `DELETE FROM watched WHERE (list, company) IN (VALUES %s)`,
		Types: []string{"BIGINT", "BIGINT"},
	}
)

// fewCompanies is the maximum number of companies that are looked up one by one. For more, the whole list is read.
const fewCompanies = 1_000

// Compare returns the effect that an order would have on a watch-list.
func (d *DB) Compare(ctx context.Context, l *watch.List, order monitoring.WatchOrder) (diff watch.Difference,
	err error) {
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		diff, err = d.compare(ctx, tx, l, order)
		return err
	})
	return diff, database.Wrap("comparing watched companies", err)
}

func (d *DB) compare(ctx context.Context, tx *sql.Tx, l *watch.List,
	order monitoring.WatchOrder) (diff watch.Difference, err error) {
	has, err := d.references(ctx, tx, l.Ordinal, order)
	if err != nil {
		return diff, err
	}

	diff.Changes = make([]monitoring.WatchChange, len(order.Companies))
	for i, c := range order.Companies {
		reference, watched := has[c.Company]
		switch {
		case !watched:
			diff.Changes[i] = monitoring.WatchAdded
			diff.Added = append(diff.Added, c.Company)
		case c.Reference != "" && c.Reference != reference:
			diff.Changes[i] = monitoring.WatchUpdated
		default:
			diff.Changes[i] = monitoring.WatchUnchanged
		}

		delete(has, c.Company)
	}

	if order.Replace {
		for company := range has {
			diff.Removed = append(diff.Removed, company)
		}
	}

	return diff, nil
}

// references reads the references of the companies in a list, at least of the companies in the order.
func (d *DB) references(ctx context.Context, tx *sql.Tx, list int64, order monitoring.WatchOrder) (map[ro.CUI]string,
	error) {
	has := make(map[ro.CUI]string, len(order.Companies))
	if order.Replace || len(order.Companies) > fewCompanies {
		all, err := database.All[monitoring.WatchedReference](ctx, tx, "reading watched companies",
			`SELECT company, COALESCE(reference, '') AS reference FROM watched WHERE list = $1`, list)
		for _, c := range all {
			has[c.Company] = c.Reference
		}
		return has, err
	}

	args := make([]any, 0, 2*len(order.Companies))
	for _, c := range order.Companies {
		args = append(args, list, int64(c.Company))
	}

	return has, d.Statements.Query(ctx, tx, selectWatched, args, func(r *sql.Rows) error {
		var c monitoring.WatchedReference
		err := r.Scan(&c.Company, &c.Reference)
		has[c.Company] = c.Reference
		return err
	})
}

// Watch carries out an order, and returns its effect. If the list would exceed most companies, it returns a problem,
// and if the list is gone, op.ErrUnknown; nothing changes then.
func (d *DB) Watch(ctx context.Context, l *watch.List, order monitoring.WatchOrder, most int,
	now time.Time) (diff watch.Difference, err error) {
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		// The update locks the list against concurrent changes.
		has, err := database.One[int](ctx, tx, "locking a watch-list", op.ErrUnknown,
			`UPDATE watchlists SET companies = companies WHERE ordinal = $1 AND account = $2 RETURNING companies`,
			l.Ordinal, l.Account)
		if err != nil {
			return err
		}
		if diff, err = d.compare(ctx, tx, l, order); err != nil {
			return err
		}

		would := has + len(diff.Added) - len(diff.Removed)
		if len(diff.Added) > 0 && would > most {
			return monitoring.TooManyWatched(would, most)
		}

		return d.apply(ctx, tx, l, order, &diff, now)
	})
	return diff, database.Wrap("watching companies", err)
}

// apply writes the changes of an order.
func (d *DB) apply(ctx context.Context, tx *sql.Tx, l *watch.List, order monitoring.WatchOrder, diff *watch.Difference,
	now time.Time) error {
	removed := make([]any, 0, 2*len(diff.Removed))
	for _, c := range diff.Removed {
		removed = append(removed, l.Ordinal, int64(c))
	}
	if err := d.Statements.Exec(ctx, tx, deleteWatched, removed); err != nil {
		return err
	}

	var changed []monitoring.WatchedReference
	for i, c := range order.Companies {
		if diff.Changes[i] != monitoring.WatchUnchanged {
			changed = append(changed, c)
		}
	}

	// The rows are inserted in the order of the index.
	slices.SortFunc(changed, func(a, b monitoring.WatchedReference) int { return cmp.Compare(a.Company, b.Company) })
	saved := make([]any, 0, 5*len(changed))
	for _, c := range changed {
		saved = append(saved, l.Ordinal, int64(c.Company), l.Account,
			sql.NullString{String: c.Reference, Valid: c.Reference != ""}, now.UnixMilli())
	}
	if err := d.Statements.Exec(ctx, tx, saveWatched, saved); err != nil {
		return err
	}

	return database.Exec(ctx, tx, `UPDATE watchlists SET companies = companies + $1 WHERE ordinal = $2`,
		len(diff.Added)-len(diff.Removed), l.Ordinal)
}

// Unwatch removes a company from a watch-list. It does nothing if the list does not have it.
func (d *DB) Unwatch(ctx context.Context, l *watch.List, company ro.CUI) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		removed, err := database.Change(ctx, tx, `DELETE FROM watched WHERE list = $1 AND company = $2`, l.Ordinal,
			int64(company))
		if err != nil || removed == 0 {
			return err
		}

		return database.Exec(ctx, tx, `UPDATE watchlists SET companies = companies - 1 WHERE ordinal = $1`, l.Ordinal)
	})
	return database.Wrap("removing a watched company", err)
}

// Watched returns companies of a watch-list, sorted by tax id, at most limit after the first offset.
func (d *DB) Watched(ctx context.Context, l *watch.List, limit, offset int) ([]watch.Company, error) {
	return database.All[watch.Company](ctx, d.Reader, "reading watched companies",
		`SELECT w.company, COALESCE(w.reference, '') AS reference, w.added_at,
		 (SELECT e.at FROM events e JOIN feed f ON f.account = w.account AND f.number = e.number AND f.list = w.list
		  WHERE e.company = w.company ORDER BY e.number DESC LIMIT 1) AS event_at,
		 k.at AS looked_at, k.missing_since IS NOT NULL AS missing, COALESCE(k.statuses, 0) AS statuses,
		 COALESCE(p.month, 0) AS paid
		 FROM watched w LEFT JOIN looked k ON k.company = w.company LEFT JOIN paid p ON p.account = w.account
		 AND p.company = w.company
		 WHERE w.list = $1 ORDER BY w.company LIMIT $2 OFFSET $3`, l.Ordinal, limit, offset)
}

// Watches reports whether one of an account's watch-lists has the company.
func (d *DB) Watches(ctx context.Context, account string, company ro.CUI) (bool, error) {
	lists, err := database.One[int64](ctx, d.Reader, "looking for a company in watch-lists", sql.ErrNoRows,
		`SELECT COUNT(*) FROM watched w JOIN watchlists l ON l.ordinal = w.list AND l.account = w.account
			WHERE w.account = $1 AND w.company = $2`, account, int64(company))
	return lists > 0, err
}

// WatchlistID returns the id of an account's watch-list by its id, or of its first one for "default". It is empty if
// there is none.
func (d *DB) WatchlistID(ctx context.Context, account, name string) (string, error) {
	return database.One[string](ctx, d.Reader, "looking for a watch-list", sql.ErrNoRows,
		`SELECT COALESCE(MAX(id), '') FROM (
			SELECT id FROM watchlists WHERE account = $1 AND (id = $2 OR $2 = 'default') ORDER BY ordinal
			LIMIT 1) AS l`, account, name)
}
