package work

import (
	"context"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// LeaseTable stores leases in a table of a SQLite or PostgreSQL database, with the columns name, holder and expires.
// The holder is the process that opened the database. Two values are equal if they have the same open database and
// name.
type LeaseTable struct {
	db   *database.DB
	name string
}

// LeasesIn returns the leases in a table of a database. The table must exist.
func LeasesIn(db *database.DB, table string) LeaseTable { return LeaseTable{db, table} }

// Take acquires or renews a named lease until a time, and reports whether this process holds it. The clock
// skew between processes must be less than the time between a renewal and the end of the lease.
func (t LeaseTable) Take(ctx context.Context, name string, now, until time.Time) (bool, error) {
	taken, err := database.Change(ctx, t.db.Writer,
		`INSERT INTO `+t.name+` AS held (name, holder, expires) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
		WHERE held.holder = excluded.holder OR held.expires <= $4`,
		name, t.db.Holder, until.UnixMilli(), now.UnixMilli())
	return taken > 0, database.Wrap("taking the lease "+name, err)
}

// End releases a lease if this process holds it.
func (t LeaseTable) End(ctx context.Context, name string) error {
	return database.Wrap("ending the lease "+name,
		database.Exec(ctx, t.db.Writer, `DELETE FROM `+t.name+` WHERE name = $1 AND holder = $2`, name, t.db.Holder))
}
