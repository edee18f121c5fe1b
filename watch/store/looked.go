package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

var (
	selectLooked = &database.Statement{
		Text: `SELECT l.company, l.at, l.found, l.missing_since, l.statuses, l.texts FROM (VALUES %s) AS a
			JOIN looked l ON l.company = a.column1`,
		Types: []string{"BIGINT"},
	}
	// The lock prevents edges that notice the same change at the same time from each writing an event.
	lockLooked = &database.Statement{Text: selectLooked.Text + ` ORDER BY l.company FOR UPDATE OF l`,
		Types: selectLooked.Types}
	upsertLooked = &database.Statement{
		Text: `INSERT INTO looked (company, at, found, missing_since, statuses, nace, phone) VALUES %s
			ON CONFLICT (company) DO UPDATE SET at = excluded.at, found = excluded.found,
				missing_since = excluded.missing_since, statuses = excluded.statuses, nace = excluded.nace, phone = excluded.phone
			WHERE excluded.at >= looked.at`,
		Types: make([]string, 7),
	}
	// A look that did not find the company keeps the stored facts.
	upsertMissed = &database.Statement{
		Text: `INSERT INTO looked (company, at, found, missing_since, statuses) VALUES %s
			ON CONFLICT (company) DO UPDATE SET at = excluded.at, found = excluded.found,
				missing_since = excluded.missing_since, statuses = excluded.statuses
			WHERE excluded.at >= looked.at`,
		Types: make([]string, 5),
	}
)

// sortLooks returns the last look at each company, sorted by company, the order in which all processes lock rows.
func sortLooks(looks []history.Finding) []history.Finding {
	looks = slices.Clone(looks)
	slices.SortStableFunc(looks, func(a, b history.Finding) int {
		return cmp.Or(cmp.Compare(a.Company, b.Company), b.At.Compare(a.At))
	})
	return slices.CompactFunc(looks, func(a, b history.Finding) bool { return a.Company == b.Company })
}

// summaries reads the stored summaries of companies, and locks them until the end of the transaction.
func (d *DB) summaries(ctx context.Context, tx *sql.Tx, looks []history.Finding) (
	map[ro.CUI]watch.LookSummary, error,
) {
	args := make([]any, len(looks))
	for i := range looks {
		args[i] = int64(looks[i].Company)
	}

	kept := make(map[ro.CUI]watch.LookSummary, len(looks))
	err := d.Statements.Query(ctx, tx, d.lockLooked, args, func(r *sql.Rows) error {
		var company ro.CUI
		var l watch.LookSummary
		err := r.Scan(&company, database.Time(&l.At), &l.Found, database.Time(&l.MissingSince), &l.Statuses,
			database.JSON(&l.Texts))
		kept[company] = l
		return err
	})
	return kept, database.Wrap("reading the last looks at companies", err)
}

// keepTexts stores the last known texts of companies, in the order in which all processes lock rows.
func keepTexts(ctx context.Context, tx *sql.Tx, texts map[ro.CUI]watch.Texts) error {
	for _, company := range slices.Sorted(maps.Keys(texts)) {
		document, err := json.Marshal(texts[company])
		if err == nil {
			err = database.Exec(ctx, tx, `UPDATE looked SET texts = $1 WHERE company = $2`,
				sql.NullString{String: string(document), Valid: len(texts[company]) > 0}, int64(company))
		}
		if err != nil {
			return database.Wrap("keeping the last known texts of a company", err)
		}
	}

	return nil
}

// storeLooks stores looks at companies. If a newer look is stored, an older one changes nothing.
func (d *DB) storeLooks(
	ctx context.Context, tx *sql.Tx, looks []history.Finding, kept map[ro.CUI]watch.LookSummary,
) error {
	var found, missed []any
	for i := range looks {
		l := &looks[i]
		next, _ := kept[l.Company].After(l)
		row := []any{int64(l.Company), l.At.UnixMilli(), database.Integer(next.Found),
			database.OrNull(next.MissingSince), int64(next.Statuses)}
		if l.Missing {
			missed = append(missed, row...)
		} else {
			found = append(append(found, row...), sql.NullInt64{Int64: int64(l.NACE), Valid: l.NACE != 0},
				sql.NullString{String: l.Phone, Valid: l.Phone != ""})
		}
	}

	return database.Wrap("keeping looks at companies",
		cmp.Or(d.Statements.Exec(ctx, tx, upsertLooked, found), d.Statements.Exec(ctx, tx, upsertMissed, missed)))
}

const findingColumns = `company, at, missing_since IS NOT NULL AS missing, statuses, COALESCE(nace, 0) AS nace,
	COALESCE(phone, '') AS phone`

// Findings returns what the last look at each company found, ordered by time and then company. It starts after the look
// at a company at a time, and returns at most limit findings.
func (d *DB) Findings(ctx context.Context, at time.Time, after ro.CUI, limit int) ([]history.Finding, error) {
	return database.All[history.Finding](ctx, d.Reader, "reading the results of looks",
		`SELECT `+findingColumns+` FROM looked
		 WHERE (at, company) > (CAST($1 AS BIGINT), CAST($2 AS BIGINT)) ORDER BY at, company LIMIT $3`,
		millis(at), int64(after), limit)
}

// FindingsOf returns what the last look at each of the given companies found, in no particular order.
func (d *DB) FindingsOf(ctx context.Context, companies []ro.CUI) ([]history.Finding, error) {
	return allOf[history.Finding](ctx, d, "reading the results of looks",
		`SELECT `+findingColumns+` FROM looked WHERE company IN (VALUES %s)`, companies)
}
