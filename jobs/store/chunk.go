package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/jobs"
)

const chunkColumns = `number, rows, firsts, state, pass, price, failed, due, input, outcomes`

// Next implements [jobs.Store].
func (d *DB) Next(ctx context.Context, id job.ID, now time.Time) (*jobs.Chunk, time.Time, error) {
	for _, find := range []struct {
		condition string
		args      []any
	}{
		{`state = $2 ORDER BY number`, []any{int(jobs.Priced)}},
		{`state = $2 ORDER BY number`, []any{int(jobs.Open)}},
		{`state = $2 AND due <= $3 ORDER BY due, number`, []any{int(jobs.Retrying), now.UnixMilli()}},
	} {
		c, err := database.One[jobs.Chunk](ctx, d.Writer, "finding the next rows of a job", nil,
			`SELECT `+chunkColumns+` FROM job_chunks WHERE job = $1 AND `+find.condition+` LIMIT 1`,
			append([]any{string(id)}, find.args...)...)
		switch {
		case err != nil:
			return nil, time.Time{}, err
		case c.Rows > 0:
			return &c, time.Time{}, nil
		}
	}

	due, err := database.One[time.Time](ctx, d.Writer, "finding the next rows of a job", nil,
		`SELECT MIN(due) FROM job_chunks WHERE job = $1 AND state = $2`, string(id), int(jobs.Retrying))
	return nil, due, err
}

// Price implements [jobs.Store].
func (d *DB) Price(ctx context.Context, id job.ID, c *jobs.Chunk, outcomes []jobs.Outcome, now time.Time) error {
	packed, t, err := jobs.EncodeOutcomes(outcomes)
	if err != nil {
		return err
	}

	growth := len(packed) - len(c.Outcomes)
	err = d.changeUnfinished(ctx, id, growth, func(tx *sql.Tx) error {
		return database.ChangeOne(ctx, tx, jobs.ErrConflict,
			`UPDATE job_chunks SET state = $1, pass = pass + 1, price = $2, due = $3,
			found = $4, not_found = $5, invalid = $6, blank = $7, failed = $8, outcomes = $9,
			verdict_stop = $10, verdict_incomplete = $11, verdict_attention = $12, verdict_clear = $13
			WHERE job = $14 AND number = $15 AND state = $16 AND pass = $17`,
			int(jobs.Priced), c.Price, now.UnixMilli(), t.Found, t.NotFound, t.Invalid, t.Blank, t.Failed, packed,
			t.VerdictStop, t.VerdictIncomplete, t.VerdictAttention, t.VerdictClear,
			string(id), c.Number, int(c.State), c.Pass)
	})
	if err == nil {
		c.State, c.Failed, c.Outcomes, c.Due = jobs.Priced, t.Failed, packed, now
		c.Pass++
	}

	return err
}

// Settle implements [jobs.Store].
func (d *DB) Settle(ctx context.Context, id job.ID, c *jobs.Chunk, state jobs.ChunkState, due, now time.Time) error {
	return d.changeUnfinished(ctx, id, 0, func(tx *sql.Tx) error {
		if err := database.ChangeOne(ctx, tx, jobs.ErrConflict,
			`UPDATE job_chunks SET state = $1, due = $2, cost = cost + price, price = 0
			 WHERE job = $3 AND number = $4 AND state = $5 AND pass = $6`,
			int(state), due.UnixMilli(), string(id), c.Number, int(jobs.Priced), c.Pass); err != nil {
			return err
		}
		return database.Exec(ctx, tx, countRows, int(jobs.Retrying), string(job.Running), now.UnixMilli(),
			string(id))
	})
}

// countRows counts the rows that are done. Failed rows that will be retried do not count.
const countRows = `UPDATE jobs SET done = c.done, found = c.found, not_found = c.not_found, invalid = c.invalid,
		blank = c.blank, failed = c.failed, retrying = c.retrying, retry_at = c.retry_at, retry_until = c.retry_until,
		asked = c.asked, cost = c.cost, status = $2, started_at = COALESCE(started_at, $3),
		verdict_stop = c.verdict_stop, verdict_incomplete = c.verdict_incomplete,
		verdict_attention = c.verdict_attention, verdict_clear = c.verdict_clear
	FROM (SELECT
			COALESCE(SUM(rows - CASE WHEN state = $1 THEN failed ELSE 0 END), 0) AS done,
			COALESCE(SUM(found), 0) AS found,
			COALESCE(SUM(not_found), 0) AS not_found,
			COALESCE(SUM(invalid), 0) AS invalid,
			COALESCE(SUM(blank), 0) AS blank,
			COALESCE(SUM(verdict_stop), 0) AS verdict_stop,
			COALESCE(SUM(verdict_incomplete), 0) AS verdict_incomplete,
			COALESCE(SUM(verdict_attention), 0) AS verdict_attention,
			COALESCE(SUM(verdict_clear), 0) AS verdict_clear,
			COALESCE(SUM(CASE WHEN state = $1 THEN 0 ELSE failed END), 0) AS failed,
			COALESCE(SUM(CASE WHEN state = $1 THEN failed ELSE 0 END), 0) AS retrying,
			MIN(CASE WHEN state = $1 THEN due END) AS retry_at,
			MAX(CASE WHEN state = $1 THEN due END) AS retry_until,
			COALESCE(SUM(CASE WHEN state = $1 AND firsts > failed THEN firsts - failed
				WHEN state = $1 THEN 0 ELSE firsts END), 0) AS asked,
			COALESCE(SUM(cost), 0) AS cost
		FROM job_chunks WHERE job = $4 AND state >= $1) AS c
	WHERE id = $4`

// changeUnfinished changes a job that has not ended, which then stores more bytes. If the job has ended, it returns
// ErrConflict.
func (d *DB) changeUnfinished(ctx context.Context, id job.ID, growth int, change func(*sql.Tx) error) error {
	return database.Wrap("writing rows of a job", d.Transact(ctx, func(tx *sql.Tx) error {
		// The update locks the job, so a cancellation takes effect before or after the change.
		if err := database.ChangeOne(ctx, tx, jobs.ErrConflict,
			`UPDATE jobs SET bytes = bytes + $1 WHERE id = $2 AND status IN ('queued', 'running')`,
			growth, string(id)); err != nil {
			return err
		}
		return change(tx)
	}))
}

// Chunk implements [jobs.Store].
func (d *DB) Chunk(ctx context.Context, id job.ID, number int) (*jobs.Chunk, error) {
	c, err := database.One[jobs.Chunk](ctx, d.Reader, "reading rows of a job", nil,
		`SELECT `+chunkColumns+` FROM job_chunks WHERE job = $1 AND number = $2`, string(id), number)
	if err != nil || c.Rows == 0 {
		return nil, err
	}
	return &c, nil
}

// Start implements [jobs.Store].
func (d *DB) Start(ctx context.Context, id job.ID, now time.Time) error {
	return database.Wrap("starting a job", database.Exec(ctx, d.Writer,
		`UPDATE jobs SET status = $1, started_at = COALESCE(started_at, $2) WHERE id = $3 AND status = $4`,
		string(job.Running), now.UnixMilli(), string(id), string(job.Queued)))
}
