package store

import (
	"context"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// TakeLease implements watch.Leases.
func (d *DB) TakeLease(ctx context.Context, name string, now, until time.Time) (bool, error) {
	result, err := d.Writer.ExecContext(ctx, `INSERT INTO job_leases (name, holder, expires) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
		WHERE job_leases.holder = excluded.holder OR job_leases.expires <= $4`,
		name, d.Holder, until.UnixMilli(), now.UnixMilli())
	if err != nil {
		return false, database.Doing("taking the lease "+name, err)
	}
	taken, err := result.RowsAffected()
	return taken > 0, database.Doing("taking the lease "+name, err)
}

// EndLease implements watch.Leases.
func (d *DB) EndLease(ctx context.Context, name string) error {
	return database.Doing("ending the lease "+name,
		database.Exec(ctx, d.Writer, `DELETE FROM job_leases WHERE name = $1 AND holder = $2`, name, d.Holder))
}
