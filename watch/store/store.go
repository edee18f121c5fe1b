// Package store keeps watch-lists, events, webhooks and deliveries in the database of the observations, so that an
// event is written in the transaction of its observation.
package store

import (
	"context"
	"embed"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
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
