package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// unpaidFor is the SQL condition that an account has not paid for a watched company w in the month $1. The statement
// must join the account's payments as p.
const (
	joinPaid  = ` LEFT JOIN paid p ON p.account = w.account AND p.company = w.company`
	unpaidFor = `(p.month IS NULL OR p.month < $1)`
)

// DueWatched returns up to limit watched companies that are due for a look, after a position, the oldest look first. A
// company is due if its last look is older than the interval of one of its watch-lists, minus sooner. It is also due if
// an account has not yet paid for the month, unless the account is known to be unable to pay.
func (d *DB) DueWatched(ctx context.Context, after watch.Look, now time.Time, sooner time.Duration,
	limit int) ([]watch.Look, error) {
	return database.All[watch.Look](ctx, d.Reader, "finding watched companies that are due",
		`SELECT w.company, MAX(l.at) AS at
		 FROM watched w JOIN watchlists s ON s.ordinal = w.list AND s.account = w.account`+joinPaid+`
		 LEFT JOIN looked l ON l.company = w.company
		 WHERE `+unpaidFor+` AND (s.unpaid IS NULL OR s.unpaid < $1)
		 OR p.month >= $1 AND (l.at IS NULL OR l.at <= CASE s.every
			WHEN 'week' THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END)
		 GROUP BY w.company
		 HAVING (COALESCE(MAX(l.at), 0), w.company) > (CAST($4 AS BIGINT), CAST($5 AS BIGINT))
		 ORDER BY COALESCE(MAX(l.at), 0), w.company LIMIT $6`,
		int(watch.MonthOf(now)), now.Add(sooner-week).UnixMilli(), now.Add(sooner-day).UnixMilli(),
		millis(after.At), int64(after.Company), limit)
}

// Oldest returns up to limit companies after a position that were last looked at before a given time, the oldest look
// first. If seen is not 0, it returns only companies that a caller has requested since that day.
func (d *DB) Oldest(ctx context.Context, after watch.Look, before time.Time, seen ro.Date,
	limit int) ([]watch.Look, error) {
	return database.All[watch.Look](ctx, d.Reader, "finding the companies with the oldest looks",
		`SELECT l.company, l.at FROM looked l
		 WHERE (l.at, l.company) > (CAST($1 AS BIGINT), CAST($2 AS BIGINT)) AND l.at <= $3
		 AND ($4 = 0 OR EXISTS (SELECT 1 FROM seen s WHERE s.company = l.company AND s.day >= $4))
		 ORDER BY l.at, l.company LIMIT $5`,
		millis(after.At), int64(after.Company), before.UnixMilli(), int64(seen), limit)
}

// millis returns a time as a position in an order of times. The zero time is 0.
func millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

// LookedAt returns the companies in the range (after, through] that have ever been looked at.
func (d *DB) LookedAt(ctx context.Context, after, through ro.CUI) ([]ro.CUI, error) {
	return database.All[ro.CUI](ctx, d.Reader, "finding companies that were looked at",
		`SELECT company FROM looked WHERE company > $1 AND company <= $2 ORDER BY company`,
		int64(after), int64(through))
}

var insertSeen = &database.Statement{
	Text: `INSERT INTO seen (company, day) VALUES %s
		ON CONFLICT (company) DO UPDATE SET day = excluded.day WHERE seen.day < excluded.day`,
	Types: make([]string, 2),
}

// NoteSeen records that callers requested companies on a day. The companies must be distinct, and sorted to avoid
// deadlocks.
func (d *DB) NoteSeen(ctx context.Context, companies []ro.CUI, on ro.Date) error {
	rows := make([]any, 0, 2*len(companies))
	for _, company := range companies {
		rows = append(rows, int64(company), int64(on))
	}

	return database.Wrap("noting requested companies", d.Transact(ctx, func(tx *sql.Tx) error {
		return d.Statements.Exec(ctx, tx, insertSeen, rows)
	}))
}

// ForgetSeen deletes the companies that no caller has requested since a day.
func (d *DB) ForgetSeen(ctx context.Context, since ro.Date) error {
	return d.DeleteMany(ctx, "deleting companies that nobody requests", `DELETE FROM seen WHERE company IN
		(SELECT company FROM seen WHERE day < $1 LIMIT $2)`, int64(since))
}

// Coverage counts the companies that the mirror has looked at, as of now. It counts an unwatched company if a caller
// has requested it on or after the day seen; if seen is 0, it counts none of them.
func (d *DB) Coverage(ctx context.Context, now time.Time, seen ro.Date) (c watch.Coverage, err error) {
	const doing = "counting the companies looked at"
	c.LookedAt, err = database.One[int](ctx, d.Reader, doing, nil,
		`SELECT COUNT(*) FROM looked WHERE at > $1`, now.Add(-day).UnixMilli())
	if err != nil {
		return c, err
	}

	if seen != 0 {
		c.Seen, err = database.One[int](ctx, d.Reader, doing, nil,
			`SELECT COUNT(*) FROM seen s WHERE s.day >= $1
				AND NOT EXISTS (SELECT 1 FROM watched w WHERE w.company = s.company)`, int64(seen))
		if err != nil {
			return c, err
		}
	}

	v, err := database.One[watch.Coverage](ctx, d.Reader, doing, nil, `SELECT COUNT(*) AS watched,
		COALESCE(SUM(overdue), 0) AS overdue, COALESCE(SUM(unpaid), 0) AS unpaid,
		MIN(CASE WHEN unpaid = 0 THEN at END) AS oldest
		FROM (
			SELECT MIN(l.at) AS at, MIN(CASE WHEN `+unpaidFor+` THEN 1 ELSE 0 END) AS unpaid,
			MAX(CASE WHEN p.month >= $1 AND COALESCE(l.at, w.added_at) <= CASE s.every
				WHEN 'week' THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END
				THEN 1 ELSE 0 END) AS overdue
			FROM watched w JOIN watchlists s ON s.ordinal = w.list AND s.account = w.account`+joinPaid+`
			LEFT JOIN looked l ON l.company = w.company
			GROUP BY w.company) AS companies`,
		int(watch.MonthOf(now)), now.Add(-week-day).UnixMilli(), now.Add(-2*day).UnixMilli())
	v.LookedAt, v.Seen = c.LookedAt, c.Seen
	return v, err
}
