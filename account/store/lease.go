package store

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
)

// The leases of a killed process (see package work) are released as soon as it is known to be dead, before they
// expire.
//
// A SQLite file has one owner, so opening it releases all leases. On PostgreSQL each process holds a session-level
// advisory lock under its holder ID, on its LISTEN connection; the server drops the lock with the connection, however
// the process ends. A process that only lost the connection reacquires the lock within seconds, so the others wait for
// holderGrace before they consider it dead.

const (
	// holderCheck is the interval between checks for dead holders.
	holderCheck = 5 * time.Second
	// holderGrace is the time without a lock after which a holder is considered dead. It is longer than reconnectDelay
	// plus the time to connect.
	holderGrace = reconnectDelay + 2*database.ConnectTimeout + 4*time.Second
)

var queues = []*work.Queue{mails, work.NewQueue("payments", "", ""), work.NewQueue("invoices", "", "")}

// releaseLeases ends the leases of every holder that isDead reports.
func (d *DB) releaseLeases(ctx context.Context, now time.Time, isDead func(holder int64) (bool, error)) error {
	for _, q := range queues {
		holders, err := q.Holders(ctx, d.DB)
		if err != nil {
			return err
		}

		for _, holder := range holders {
			dead, err := isDead(holder)
			if err == nil && dead {
				err = q.Release(ctx, d.Writer, holder, now)
			}
			if err != nil {
				return err
			}
		}
	}

	return nil
}

// releaseAll ends all leases in a file that this process has just taken over, and the lock on any token that the last
// owner was renewing.
func (d *DB) releaseAll(ctx context.Context) error {
	if err := database.Exec(ctx, d.Writer,
		`UPDATE efactura_tokens SET held_until = 0 WHERE held_until > 0`); err != nil {
		return database.Wrap("releasing tokens", err)
	}
	return d.releaseLeases(ctx, time.Now(), func(int64) (bool, error) { return true, nil })
}

type reaper struct {
	db     *DB
	absent map[int64]time.Time // holders without their lock, and the time since
}

func (r *reaper) run(ctx context.Context) (pause time.Duration) {
	_ = r.reap(ctx, time.Now()) // Ping reports an unreachable server
	return holderCheck
}

// reap ends the leases of holders that have been without their lock for holderGrace.
func (r *reaper) reap(ctx context.Context, now time.Time) error {
	absent := make(map[int64]time.Time)
	err := r.db.releaseLeases(ctx, now, func(holder int64) (bool, error) {
		// The statement holds a free lock until it ends.
		free, err := database.One[bool](ctx, r.db.Writer, "looking for a holder", nil,
			`SELECT pg_try_advisory_xact_lock($1)`, holder)
		if err != nil || !free {
			return false, err
		}

		since, known := r.absent[holder]
		if !known {
			since = now
		}

		absent[holder] = since
		return now.Sub(since) >= holderGrace, nil
	})
	if err == nil {
		r.absent = absent
	}

	return err
}

// holdStatements take the lock of a holder on a connection, for the lifetime of the connection. The lock is shared, so
// that a new connection need not wait for the server to drop a dead one, which takes up to 20 seconds.
func holdStatements(holder int64) []string {
	return []string{
		`SET tcp_keepalives_idle = 10`, `SET tcp_keepalives_interval = 5`, `SET tcp_keepalives_count = 2`,
		fmt.Sprintf(`SELECT pg_advisory_lock_shared(%d)`, holder),
	}
}
