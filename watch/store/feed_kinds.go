package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
)

// Pages by kind. The kinds of an event are a bit set, and no index can find the sets that contain a bit. But a feed has
// few distinct sets, and the index lists each of them with one lookup. A page is merged from the first rows of every
// set with a wanted kind. So it reads at most its own size per set, no matter how rare the kind or how long the feed
// is.

const (
	// setsOf lists the distinct sets of a table, with a condition on its rows.
	setsOf = `WITH RECURSIVE sets (kinds) AS (SELECT (SELECT MIN(kinds) FROM %[1]s)
		UNION ALL SELECT (SELECT MIN(kinds) FROM %[1]s AND kinds > s.kinds) FROM sets s WHERE s.kinds IS NOT NULL)
		SELECT kinds FROM sets WHERE (kinds & %[2]d) <> 0 AND (kinds & %[3]d) = 0`

	// feedOfSet finds the rows of one set in a feed: after the row of the event $2 and the list $3, and up to the event
	// $4. It skips the rows of a watch-list that is being deleted.
	feedOfSet = `SELECT f.number, f.list FROM feed f WHERE f.%[1]s = $1 AND f.kinds = %[2]d
		AND f.number >= $2 AND (f.number > $2 OR f.list > $3) AND f.number <= $4
		AND (f.list = 0 OR EXISTS (SELECT 1 FROM watchlists l WHERE l.ordinal = f.list AND l.account = f.account))
		ORDER BY f.number, f.list LIMIT %[3]d`
	feedOfSets = `SELECT ` + eventColumns + `
		FROM (%[1]s) k JOIN feed f ON f.account = $5 AND f.number = k.number AND f.list = k.list
		JOIN events e ON e.number = f.number LEFT JOIN watchlists l ON l.ordinal = f.list
		ORDER BY f.number, f.list LIMIT %[2]d`

	// changesOfSet finds the events of one set after the event $1 and up to $2.
	changesOfSet = `SELECT e.number FROM events e WHERE e.kinds = %[1]d AND e.number > $1 AND e.number <= $2
		ORDER BY e.number LIMIT %[2]d`
	changesOfSets = `SELECT ` + changeColumns + ` FROM (%[1]s) k
		JOIN events e ON e.number = k.number ORDER BY e.number LIMIT %[2]d`

	// setBatch is the maximum number of sets that one statement merges; SQLite accepts up to 500.
	setBatch = 100
)

// feedByKind reads the events of some kinds in the feed of an account or of one of its watch-lists.
func (d *DB) feedByKind(ctx context.Context, account string, after monitoring.EventCursor, f monitoring.EventFilter,
	limit int,
	latest int64) ([]monitoring.Event, error) {
	column, value := "account", any(account)
	if f.Watchlist != "" {
		ordinal, err := database.One[int64](ctx, d.Reader, "finding a watch-list", sql.ErrNoRows,
			`SELECT COALESCE((SELECT ordinal FROM watchlists WHERE id = $1 AND account = $2), -1)`,
			f.Watchlist, account)
		if err != nil {
			return nil, err
		}

		column, value = "list", ordinal
	}

	sets, err := d.kindSets(ctx, fmt.Sprintf("feed WHERE %s = $1", column), f.Kinds, 0, value)
	if err != nil {
		return nil, err
	}

	return d.merge(ctx, monitoring.FeedOf(account), sets, limit, feedOfSets,
		func(set int64) string { return fmt.Sprintf(feedOfSet, column, set, limit) },
		value, after.Number, after.List, latest, account)
}

// changesByKind reads the events of some kinds in the feed of all changes.
func (d *DB) changesByKind(ctx context.Context, after monitoring.EventCursor, kinds monitoring.EventSet, limit int,
	latest int64) ([]monitoring.Event, error) {
	sets, err := d.kindSets(ctx, "events WHERE TRUE", kinds, private)
	if err != nil {
		return nil, err
	}
	return d.merge(ctx, monitoring.FeedOf(""), sets, limit, changesOfSets,
		func(set int64) string { return fmt.Sprintf(changesOfSet, set, limit) }, after.Number, latest)
}

// kindSets returns the distinct sets of kinds in a table that contain a wanted kind and no unwanted one.
func (d *DB) kindSets(ctx context.Context, from string, wanted, unwanted monitoring.EventSet, args ...any) ([]int64,
	error) {
	return database.All[int64](ctx, d.Reader, "finding the kinds of events",
		fmt.Sprintf(setsOf, from, wanted, unwanted), args...)
}

// union returns the statement that reads the first rows of several sets.
func union(statement string, sets []int64, ofSet func(int64) string, limit int) string {
	pieces := make([]string, len(sets))
	for i, set := range sets {
		pieces[i] = fmt.Sprintf("SELECT * FROM (%s) AS s%d", ofSet(set), i)
	}
	return fmt.Sprintf(statement, strings.Join(pieces, " UNION ALL "), limit)
}

// merge reads the first events of several sets, in the order of the feed.
func (d *DB) merge(ctx context.Context, feed uint32, sets []int64, limit int, statement string,
	ofSet func(int64) string, args ...any) (events []monitoring.Event, err error) {
	for some := range slices.Chunk(sets, setBatch) {
		found, err := d.events(ctx, "reading events by kind", feed,
			union(statement, some, ofSet, limit), args...)
		if err != nil {
			return nil, err
		}

		events = append(events, found...)
	}

	slices.SortFunc(events, func(a, b monitoring.Event) int {
		return cmp.Or(cmp.Compare(a.Cursor.Number, b.Cursor.Number), cmp.Compare(a.Cursor.List, b.Cursor.List))
	})
	return events[:min(len(events), limit)], nil
}
