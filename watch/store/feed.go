package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

// Latest returns the number of the newest event, 0 before the first.
func (d *DB) Latest(ctx context.Context) (int64, error) {
	return database.One[int64](ctx, d.Reader, "reading the number of the newest event", sql.ErrNoRows,
		`SELECT value FROM watch_counters WHERE name = 'events'`)
}

// Now returns the cursor at the end of an account's feed. Every later event comes after it. The empty account means the
// feed of all changes.
func (d *DB) Now(ctx context.Context, account string) (monitoring.EventCursor, error) {
	latest, err := d.Latest(ctx)
	return end(monitoring.FeedOf(account), latest), err
}

// end returns the position after all events up to a number.
func end(feed uint32, number int64) monitoring.EventCursor {
	return monitoring.EventCursor{Feed: feed, Number: number, List: math.MaxInt64}
}

// Feed reads the events of an account after a cursor; the zero cursor is before all events. The caller must check that
// the cursor belongs to this feed.
func (d *DB) Feed(ctx context.Context, account string, after monitoring.EventCursor, f monitoring.EventFilter,
	limit int) (monitoring.EventPage, error) {
	if f.Kinds != 0 && f.Company == 0 {
		return d.page(ctx, account, after, limit, func(latest int64) ([]monitoring.Event, error) {
			return d.feedByKind(ctx, account, after, f, limit+1, latest)
		})
	}

	q := query{text: `SELECT ` + eventColumns + `
		FROM feed f JOIN events e ON e.number = f.number LEFT JOIN watchlists l ON l.ordinal = f.list`}
	switch {
	case f.Watchlist != "": // instead of the account, so that only the index by list fits
		q.where("f.list = (SELECT ordinal FROM watchlists WHERE id = ", f.Watchlist, " AND account = ", account, ")")
	case f.Company != 0:
		// An expression fits no index. SQLite would otherwise read the account's whole feed in its order.
		q.where("(f.account || '') = ", account)
	default:
		q.where("f.account = ", account)
	}

	q.text += " AND (f.list = 0 OR l.account = f.account)" // skip watch-lists that are being deleted
	if f.Company != 0 {
		q.where("f.company = ", int64(f.Company))
	}

	q.where("f.number > ", after.Number-1) // PostgreSQL finds this one in the index, but not the next
	q.where("(f.number > ", after.Number, " OR f.list > ", after.List, ")")
	if f.Kinds != 0 {
		q.where("(f.kinds & ", int64(f.Kinds), ") <> 0")
	}

	return d.page(ctx, account, after, limit, func(latest int64) ([]monitoring.Event, error) {
		q.where("f.number <= ", latest)
		return d.read(ctx, account, q, "f.number, f.list", limit+1)
	})
}

// private are the kinds of events that only the account they concern may read.
var private = monitoring.SetOf(monitoring.WatchlistUnpaid, monitoring.JobCompleted)

// Changes reads the events of all companies, watched or not, after a cursor; the zero cursor is before all events. It
// ignores the filter's watch-list.
func (d *DB) Changes(ctx context.Context, after monitoring.EventCursor, f monitoring.EventFilter,
	limit int) (monitoring.EventPage, error) {
	if f.Kinds != 0 && f.Company == 0 {
		return d.page(ctx, "", after, limit, func(latest int64) ([]monitoring.Event, error) {
			return d.changesByKind(ctx, after, f.Kinds, limit+1, latest)
		})
	}

	q := query{text: `SELECT ` + changeColumns + ` FROM events e`}
	q.where("e.number > ", after.Number)
	q.where("(e.kinds & ", int64(private), ") = 0")
	if f.Company != 0 {
		q.where("e.company = ", int64(f.Company))
	}
	if f.Kinds != 0 {
		q.where("(e.kinds & ", int64(f.Kinds), ") <> 0")
	}

	return d.page(ctx, "", after, limit, func(latest int64) ([]monitoring.Event, error) {
		q.where("e.number <= ", latest)
		return d.read(ctx, "", q, "e.number", limit+1)
	})
}

// read returns the first events of a query in the given order.
func (d *DB) read(ctx context.Context, account string, q query, order string, limit int) ([]monitoring.Event, error) {
	return d.events(ctx, "reading events", monitoring.FeedOf(account),
		fmt.Sprintf("%s ORDER BY %s LIMIT %d", q.text, order, limit), q.args...)
}

// page returns up to limit events after a cursor. The function read must return one event more than the limit, if there
// is one. Page first reads the number of the newest event, so that the returned end never lies after an event missing
// from the page. It reads the number of the newest deleted event last, so that it notices deletions during the read.
func (d *DB) page(ctx context.Context, account string, after monitoring.EventCursor, limit int,
	read func(latest int64) ([]monitoring.Event, error)) (monitoring.EventPage, error) {
	feed := monitoring.FeedOf(account)
	latest, err := d.Latest(ctx)
	if err != nil {
		return monitoring.EventPage{}, err
	}

	events, err := read(latest)
	if err != nil {
		return monitoring.EventPage{}, err
	}

	expired, err := database.One[int64](ctx, d.Reader, "reading the newest deleted event of a feed", sql.ErrNoRows,
		`SELECT COALESCE((SELECT number FROM feed_expired WHERE account = $1), 0)`, account)
	if err != nil {
		return monitoring.EventPage{}, err
	}

	p := monitoring.EventPage{Events: events, Next: end(feed, latest), Oldest: end(feed, expired)}
	if after != (monitoring.EventCursor{}) && after.Number < expired {
		return monitoring.EventPage{Expired: true, Oldest: p.Oldest, Next: p.Oldest}, nil
	}
	if p.More = len(events) > limit; p.More {
		p.Events = events[:limit]
		p.Next = p.Events[limit-1].Cursor
	}

	return p, nil
}

// query is a SELECT with conditions.
type query struct {
	text string
	args []any
}

// where adds a condition. Its parts alternate between text and arguments.
func (q *query) where(parts ...any) {
	var text strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			fmt.Fprint(&text, part)
			continue
		}

		q.args = append(q.args, part)
		fmt.Fprintf(&text, "$%d", len(q.args))
	}

	word := " AND "
	if len(q.args) == len(parts)/2 {
		word = " WHERE "
	}

	q.text += word + text.String()
}

// eventColumns are those of a feed's row f, its event e and its watch-list l.
const eventColumns = `f.number, f.list, COALESCE(f.company, 0) AS company, f.reference, l.id AS watchlist, e.at,
	e.document`

// changeColumns are those of an event e, outside watch-lists.
const changeColumns = `e.number, 0 AS list, COALESCE(e.company, 0) AS company, e.at, e.document`

// eventRow is an event with its position in a feed.
type eventRow struct {
	watch.Position
	Company  ro.CUI
	At       time.Time
	Document watch.Event
}

// event returns the event in the form in which a feed shows it.
func (r *eventRow) event(feed uint32) monitoring.Event {
	r.Feed, r.Document.Company, r.Document.At = feed, r.Company, r.At
	return r.Document.In(r.Position)
}

// events reads the events of a query with eventColumns.
func (d *DB) events(ctx context.Context, doing string, feed uint32, query string, args ...any) ([]monitoring.Event,
	error) {
	rows, err := database.All[eventRow](ctx, d.Reader, doing, query, args...)
	events := make([]monitoring.Event, len(rows))
	for i := range rows {
		events[i] = rows[i].event(feed)
	}

	return events, err
}

// Newest returns the newest events of a watch-list, the newest first, at most limit.
func (d *DB) Newest(ctx context.Context, l *watch.List, limit int) ([]monitoring.Event, error) {
	return d.events(ctx, "reading the newest events of a watch-list", monitoring.FeedOf(l.Account),
		`SELECT `+eventColumns+`
		 FROM feed f JOIN events e ON e.number = f.number JOIN watchlists l ON l.ordinal = f.list
		 WHERE f.list = $1 ORDER BY f.number DESC LIMIT $2`, l.Ordinal, limit)
}
