// Package store keeps watch-lists, events, webhooks and deliveries in the database of the observations, so that an
// event is written in the transaction of its observation.
package store

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
)

// DB is an open database with the tables of this package.
type DB struct {
	*database.DB
	lockLooked *database.Statement // locks the rows in PostgreSQL; SQLite locks the whole file
}

//go:embed migrations
var migrations embed.FS

// schema has the advisory lock "watch" in ASCII.
var schema = &database.Schema{
	Name: "the store of watch-lists", Migrations: migrations, Table: "watch_schema_versions", Lock: 0x7761746368,
	Leases: "watch_leases",
	Prepared: []*database.Statement{insertEvents, insertFeed, insertSeen, selectLooked, upsertLooked, upsertMissed,
		markPaid, unpay, selectWatched, saveWatched, deleteWatched, settleDeliveries, selectEntries, upsertEntries},
}

// Open creates or migrates the tables in the database of the observations.
func Open(ctx context.Context, observations *historystore.DB) (*DB, error) {
	db, err := observations.Add(ctx, schema)
	if err != nil {
		return nil, err
	}

	d := &DB{db, selectLooked}
	if db.IsPostgres() {
		d.lockLooked = lockLooked
	}

	return d, nil
}

// Leases returns the leases of the work that one edge does for its fleet: announcements, deliveries and the mirror.
func (d *DB) Leases() work.LeaseTable { return work.LeasesIn(d.DB, schema.Leases) }

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
