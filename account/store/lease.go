package store

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// A claimed mail, payment or invoice is leased: due_at is the end of the lease, and
// holder names the process that works on it. The leases of a killed process are
// released as soon as it is known to be dead, rather than when they expire.
//
// A SQLite file has one owner, so opening it releases all leases. On PostgreSQL each
// process holds a session-level advisory lock under its holder ID, on its LISTEN
// connection; the server drops the lock with the connection, however the process
// ends. A process that only lost the connection reacquires the lock within seconds,
// so the others wait for holderGrace before they consider it dead.
//
// Releasing changes due_at, which every write of the holder compares with its lease:
// one that is alive after all cannot overwrite what its successor did.

const (
	// holderCheck is how often a process looks for holders that are gone.
	holderCheck = 5 * time.Second
	// holderGrace is for how long a holder must have been without its lock. It is
	// longer than listenAgainAfter and a connect take together.
	holderGrace = listenAgainAfter + 2*connectTimeout + 4*time.Second
)

// newHolder is a random holder ID of a process.
func newHolder() int64 { return rand.Int64() }

// holdersQuery finds every process that has claimed something.
const holdersQuery = `SELECT holder FROM mails WHERE holder IS NOT NULL
	UNION SELECT holder FROM payments WHERE holder IS NOT NULL
	UNION SELECT holder FROM invoices WHERE holder IS NOT NULL`

// releaseStatements end the leases of holder $2 at time $1.
var releaseStatements = []string{
	`UPDATE mails SET holder = NULL, due_at = CASE WHEN due_at > $1 THEN $1 ELSE due_at END WHERE holder = $2`,
	`UPDATE payments SET holder = NULL, due_at = CASE WHEN due_at > $1 THEN $1 ELSE due_at END WHERE holder = $2`,
	`UPDATE invoices SET holder = NULL, due_at = CASE WHEN due_at > $1 THEN $1 ELSE due_at END WHERE holder = $2`,
}

// releaseLeases makes due what the holders have claimed of which gone is true.
func (d *DB) releaseLeases(ctx context.Context, now time.Time, gone func(holder int64) (bool, error)) error {
	holders, err := database.Collect(ctx, d.Writer, func(r database.Row) (holder int64, err error) { return holder, r.Scan(&holder) }, holdersQuery)
	if err != nil {
		return database.Doing("looking for leases", err)
	}
	for _, holder := range holders {
		is, err := gone(holder)
		if err == nil && is {
			err = d.releaseLeasesOf(ctx, holder, now)
		}
		if err != nil {
			return database.Doing("releasing leases", err)
		}
	}
	return nil
}

func (d *DB) releaseLeasesOf(ctx context.Context, holder int64, now time.Time) error {
	return d.Transact(ctx, func(tx *sql.Tx) error {
		for _, statement := range releaseStatements {
			if _, err := tx.ExecContext(ctx, statement, now.UnixMilli(), holder); err != nil {
				return err
			}
		}
		return nil
	})
}

// releaseAll releases all leases in a file that this process has just come to own,
// and the hold on a token that its last owner was renewing.
func (d *DB) releaseAll(ctx context.Context) error {
	if _, err := d.Writer.ExecContext(ctx, `UPDATE efactura_tokens SET held_until = 0 WHERE held_until > 0`); err != nil {
		return database.Doing("releasing tokens", err)
	}
	return d.releaseLeases(ctx, time.Now(), func(int64) (bool, error) { return true, nil })
}

// reaper releases, on PostgreSQL, the leases of processes that are gone.
type reaper struct {
	db     *DB
	absent map[int64]time.Time // holders without their lock, and since when
	stop   context.CancelFunc
	done   chan struct{}
}

// startReaper looks for holders that are gone until close.
func startReaper(d *DB) *reaper {
	ctx, stop := context.WithCancel(context.Background())
	r := &reaper{db: d, stop: stop, done: make(chan struct{})}
	go r.run(ctx)
	return r
}

func (r *reaper) run(ctx context.Context) {
	defer close(r.done)
	tick := time.NewTicker(holderCheck)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = r.reap(ctx, time.Now()) // that the server is away is for Ping to say
		case <-ctx.Done():
			return
		}
	}
}

// reap releases the leases of the holders that have been without their lock for
// long enough.
func (r *reaper) reap(ctx context.Context, now time.Time) error {
	absent := make(map[int64]time.Time)
	err := r.db.releaseLeases(ctx, now, func(holder int64) (bool, error) {
		var free bool // if so, the statement has the lock until it ends
		err := r.db.Writer.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock($1)`, holder).Scan(&free)
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

func (r *reaper) close() {
	r.stop()
	<-r.done
}

// holdStatements take the lock of a holder on a connection, for as long as it lasts.
// The lock is shared, so that a new connection need not wait until the server gives
// up the old one, which it does within 20 seconds when it hears nothing.
func holdStatements(holder int64) []string {
	return []string{
		`SET tcp_keepalives_idle = 10`, `SET tcp_keepalives_interval = 5`, `SET tcp_keepalives_count = 2`,
		fmt.Sprintf(`SELECT pg_advisory_lock_shared(%d)`, holder),
	}
}
