package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

var (
	selectEntries = &database.Statement{
		Text: `SELECT l.company, l.release, l.entry FROM (VALUES %s) AS a
			JOIN trade_entries l ON l.company = a.column1`,
		Types: []string{"BIGINT"},
	}
	upsertEntries = &database.Statement{
		Text: `INSERT INTO trade_entries (company, release, entry) VALUES %s
			ON CONFLICT (company) DO UPDATE SET release = excluded.release, entry = excluded.entry
			WHERE excluded.release > trade_entries.release`,
		Types: make([]string, 3),
	}
)

// WatchedCompanies returns watched companies after a given one, sorted, at most limit.
func (d *DB) WatchedCompanies(ctx context.Context, after ro.CUI, limit int) ([]ro.CUI, error) {
	return database.All[ro.CUI](ctx, d.Reader, "reading watched companies",
		`SELECT DISTINCT company FROM watched WHERE company > $1 ORDER BY company LIMIT $2`, int64(after), limit)
}

// KnownCompanies returns companies after a given one that are watched or have been looked at, sorted, at most limit.
func (d *DB) KnownCompanies(ctx context.Context, after ro.CUI, limit int) ([]ro.CUI, error) {
	return database.All[ro.CUI](ctx, d.Reader, "reading companies that were looked at",
		`SELECT company FROM (SELECT DISTINCT company FROM watched WHERE company > $1 ORDER BY company LIMIT $2) AS w
		 UNION SELECT company FROM (SELECT company FROM looked WHERE company > $1 ORDER BY company LIMIT $2) AS l
		 ORDER BY company LIMIT $2`, int64(after), limit)
}

// RecordEntries stores the entries of companies in a release of the trade register, and writes events for the changes
// since the stored entries. The companies must be sorted. It reports whether there were any events. It skips a company
// whose stored entry is from this release or a newer one, so a call can be repeated, and several processes can make it.
func (d *DB) RecordEntries(ctx context.Context, release ro.Date, companies []ro.CUI,
	entry func(ro.CUI) (watch.Entry, bool)) (changed bool, err error) {
	due, err := d.dueEntries(ctx, release, companies)
	if err != nil || len(due) == 0 {
		return false, err
	}

	now, listed := time.Now(), make(map[ro.CUI]watch.Entry, len(due))
	for _, company := range due { // before the transaction, because other writers wait for it
		if e, ok := entry(company); ok {
			listed[company] = e
		}
	}

	err = d.Transact(ctx, func(tx *sql.Tx) error {
		if err := holdCounter(ctx, tx); err != nil {
			return err
		}

		kept, err := d.entries(ctx, tx, due)
		if err != nil {
			return err
		}

		var events []watch.Event
		var rows []any
		for _, company := range due {
			before, known := kept[company]
			after, ok := listed[company]
			if known && before.release >= release || !ok {
				continue
			}
			if e, ok := watch.CompareEntries(company, before.Entry, after, release, now); ok && known {
				events = append(events, e)
			}

			text, err := json.Marshal(after.FilledFrom(before.Entry))
			if err != nil {
				return err
			}

			rows = append(rows, int64(company), int64(release), string(text))
		}

		changed = len(events) > 0
		if err := d.Statements.Exec(ctx, tx, upsertEntries, rows); err != nil {
			return err
		}

		return d.Add(ctx, tx, events...)
	})
	return changed && err == nil, database.Wrap("comparing entries of the trade register", err)
}

// keptEntry is the stored entry of a company, with its release.
type keptEntry struct {
	watch.Entry
	release ro.Date
}

// dueEntries returns the companies without a stored entry of the release or a newer one.
func (d *DB) dueEntries(ctx context.Context, release ro.Date, companies []ro.CUI) (due []ro.CUI, err error) {
	if len(companies) == 0 {
		return nil, nil
	}

	current, err := database.All[ro.CUI](ctx, d.Reader, "reading entries of the trade register",
		`SELECT company FROM trade_entries WHERE company BETWEEN $1 AND $2 AND release >= $3 ORDER BY company`,
		int64(companies[0]), int64(companies[len(companies)-1]), int64(release))
	for _, company := range companies {
		if _, found := slices.BinarySearch(current, company); !found {
			due = append(due, company)
		}
	}

	return due, err
}

// entries reads the stored entries of companies.
func (d *DB) entries(ctx context.Context, tx *sql.Tx, companies []ro.CUI) (map[ro.CUI]keptEntry, error) {
	args := make([]any, len(companies))
	for i := range companies {
		args[i] = int64(companies[i])
	}

	kept := make(map[ro.CUI]keptEntry, len(companies))
	err := d.Statements.Query(ctx, tx, selectEntries, args, func(r *sql.Rows) error {
		var company ro.CUI
		var e keptEntry
		err := r.Scan(&company, &e.release, database.JSON(&e.Entry))
		kept[company] = e
		return err
	})
	return kept, err
}
