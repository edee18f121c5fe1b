package work

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// ErrLeaseLost reports that the lease has expired and another process may work on the row.
var ErrLeaseLost = errors.New("the lease has passed to another process")

// Queue is a table of work, or its rows that meet a condition.
type Queue struct {
	table                                                string
	next, claim, extend, retry, done, holders, releasing string
}

// NewQueue prepares the statements of a queue. An empty condition selects all rows of the table. Claim reads the
// columns, separated by commas, in addition to its own.
func NewQueue(table, condition, columns string) *Queue {
	if condition != "" {
		condition = " AND " + condition
	}
	if columns != "" {
		columns = ", " + columns
	}

	statement := strings.NewReplacer("{table}", table, "{condition}", condition, "{columns}", columns).Replace
	return &Queue{
		table: table,
		next:  statement(`SELECT MIN(due_at) FROM {table} WHERE due_at IS NOT NULL{condition}`),
		// The outer condition repeats the inner one, because PostgreSQL checks only the outer one again when another
		// process was faster.
		claim: statement(`UPDATE {table} SET due_at = $1, holder = $2, tries = tries + 1
			WHERE due_at <= $3{condition}
			AND id IN (SELECT id FROM {table} WHERE due_at <= $3{condition} ORDER BY due_at, id LIMIT $4)
			RETURNING id, tries, due_at AS lease{columns}`),
		extend:  statement(`UPDATE {table} SET due_at = $1 WHERE id = $2 AND due_at = $3`),
		retry:   statement(`UPDATE {table} SET due_at = $1, holder = NULL, tries = $2 WHERE id = $3 AND due_at = $4`),
		done:    statement(`UPDATE {table} SET due_at = NULL, holder = NULL WHERE id = $1 AND due_at = $2`),
		holders: statement(`SELECT DISTINCT holder FROM {table} WHERE holder IS NOT NULL`),
		releasing: statement(`UPDATE {table} SET holder = NULL, due_at = CASE WHEN due_at > $1 THEN $1 ELSE due_at END
			WHERE holder = $2`),
	}
}

// Statements returns all statements of the queue, for the test of their query plans.
func (q *Queue) Statements() []string {
	return []string{q.next, q.claim, q.extend, q.retry, q.done, q.holders, q.releasing}
}

// NextDue returns the time at which the next row is due or its lease ends; zero if there is none.
func (q *Queue) NextDue(ctx context.Context, db *database.DB) (time.Time, error) {
	return database.One[time.Time](ctx, db.Reader, "asking when the next of "+q.table+" is due", nil, q.next)
}

// Claim leases up to limit due rows to this process, the longest-waiting first, and increments their tries. A row has
// the fields ID, Tries, Lease, which is the end of the lease, and those of the queue's columns.
func Claim[T any](ctx context.Context, db *database.DB, q *Queue, now, lease time.Time, limit int) ([]T, error) {
	return database.All[T](ctx, db.Writer, "claiming "+q.table,
		q.claim, lease.UnixMilli(), db.Holder, now.UnixMilli(), limit)
}

// Extend changes the end of a lease; with the same end it only verifies the lease until the end of a transaction.
func (q *Queue) Extend(ctx context.Context, db database.Execer, id string, lease, until time.Time) error {
	return database.ChangeOne(ctx, db, ErrLeaseLost, q.extend, until.UnixMilli(), id, lease.UnixMilli())
}

// Retry ends a lease and makes the row due again, with the number of attempts so far.
func (q *Queue) Retry(ctx context.Context, db database.Execer, id string, lease, due time.Time, tries int) error {
	return database.ChangeOne(ctx, db, ErrLeaseLost, q.retry, due.UnixMilli(), tries, id, lease.UnixMilli())
}

// Done ends a lease and marks the row as done, so that it is never due again.
func (q *Queue) Done(ctx context.Context, db database.Execer, id string, lease time.Time) error {
	return database.ChangeOne(ctx, db, ErrLeaseLost, q.done, id, lease.UnixMilli())
}

// Holders returns the processes that have claimed rows.
func (q *Queue) Holders(ctx context.Context, db *database.DB) ([]int64, error) {
	return database.All[int64](ctx, db.Writer, "looking for leases of "+q.table, q.holders)
}

// Release ends all leases of a dead process: its rows are due now.
func (q *Queue) Release(ctx context.Context, db database.Execer, holder int64, now time.Time) error {
	return database.Wrap("releasing leases of "+q.table, database.Exec(ctx, db, q.releasing, now.UnixMilli(), holder))
}

// Backoff lists the pauses after the first failed attempt, the second, and so on. The last one repeats.
type Backoff []time.Duration

// After returns the pause after a number of failed attempts, at least one.
func (b Backoff) After(tries int) time.Duration { return b[min(tries, len(b))-1] }

// IsExhausted reports whether a number of failed attempts has used up all pauses, so that the work should be given up.
func (b Backoff) IsExhausted(tries int) bool { return tries > len(b) }
