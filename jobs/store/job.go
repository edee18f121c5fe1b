package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/op"
)

// listColumns are the columns of a job in a list, and jobColumns those of a whole job. The document, with the names of
// all columns of the file, can be as large as a hundred thousand other values.
const (
	listColumns = `id, account, status, heading, bytes, total, distinct_ids AS "distinct", done, found, not_found,
	invalid, blank, failed, verdict_stop, verdict_incomplete, verdict_attention, verdict_clear, retrying, asked, cost,
	created_at, started_at, completed_at, expires_at, retry_at, retry_until, problem`
	jobColumns = listColumns + `, document AS "order"`
)

// Create implements [jobs.Store].
func (d *DB) Create(ctx context.Context, job *jobs.Job, chunks jobs.Chunks, key, fingerprint string,
	limits jobs.Limits) (created *jobs.Job, err error) {
	document, err := json.Marshal(job.Order)
	heading, err2 := json.Marshal(job.Heading)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}

	job.Bytes += int64(len(document))
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		if created, err = findRepeated(ctx, tx, job.Account, key, fingerprint); err != nil || created != nil {
			return err
		}

		if err := checkRoom(ctx, tx, job, limits); err != nil {
			return err
		}

		created = job
		return insert(ctx, tx, job, chunks, string(document), string(heading), orNull(key), orNull(fingerprint))
	})
	if err != nil {
		return nil, database.Wrap("creating a job", err)
	}

	return created, nil
}

// checkRoom returns a problem if an account would exceed a limit with another job.
func checkRoom(ctx context.Context, tx *sql.Tx, j *jobs.Job, limits jobs.Limits) error {
	type kept struct {
		Unfinished, Kept int
		Bytes            int64
	}
	sum, err := database.One[kept](ctx, tx, "counting jobs", nil,
		`SELECT COALESCE(SUM(CASE WHEN status IN ('queued', 'running') THEN 1 ELSE 0 END), 0) AS unfinished,
			COUNT(*) AS kept, COALESCE(SUM(bytes), 0) AS bytes FROM jobs WHERE account = $1`, j.Account)
	switch {
	case err != nil:
		return err
	case sum.Unfinished >= limits.Unfinished:
		return job.TooManyUnfinished(limits.Unfinished)
	case sum.Kept >= limits.Kept:
		return job.TooManyKept(limits.Kept)
	case sum.Bytes+j.Bytes <= limits.Storage:
		return nil
	}

	largest, err := database.One[job.ID](ctx, tx, "finding the largest job", nil,
		`SELECT id FROM jobs WHERE account = $1 ORDER BY bytes DESC LIMIT 1`, j.Account)
	if err != nil {
		return err
	}

	return job.TooManyBytes(sum.Bytes, limits.Storage, largest)
}

// findRepeated returns the job that an account has already created under a key, or nil. It returns job.ErrOtherUpload
// if that job has another fingerprint.
func findRepeated(ctx context.Context, tx *sql.Tx, account, key, fingerprint string) (*jobs.Job, error) {
	if key == "" {
		return nil, nil
	}

	earlier, err := database.One[struct {
		jobs.Job
		Fingerprint string
	}](ctx, tx, "reading an Idempotency-Key", nil,
		`SELECT `+jobColumns+`, fingerprint FROM jobs WHERE account = $1 AND key_hash = $2`, account, key)
	switch {
	case err != nil || earlier.ID == "":
		return nil, err
	case earlier.Fingerprint != fingerprint:
		return nil, job.ErrOtherUpload
	}

	return &earlier.Job, nil
}

func insert(ctx context.Context, tx *sql.Tx, job *jobs.Job, chunks jobs.Chunks, document, heading string, key,
	fingerprint sql.NullString) error {
	err := database.Exec(ctx, tx,
		`INSERT INTO jobs (id, account, status, heading, bytes, total, distinct_ids, created_at, document, key_hash,
		 fingerprint) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		string(job.ID), job.Account, string(job.Status), heading, job.Bytes, job.Total, job.Distinct,
		job.CreatedAt.UnixMilli(), document, key, fingerprint)
	if err != nil {
		return err
	}

	for c, err := range chunks {
		if err != nil {
			return err
		}
		if err := database.Exec(ctx, tx,
			`INSERT INTO job_chunks (job, number, rows, firsts, input) VALUES ($1, $2, $3, $4, $5)`,
			string(job.ID), c.Number, c.Rows, c.Firsts, c.Input); err != nil {
			return err
		}
	}

	return nil
}

func orNull(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// Jobs implements [jobs.Store].
func (d *DB) Jobs(ctx context.Context, account string, limit, offset int) ([]jobs.Job, error) {
	return database.All[jobs.Job](ctx, d.Reader, "listing jobs",
		`SELECT `+listColumns+` FROM jobs WHERE account = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`, account, limit,
		offset)
}

// Job implements [jobs.Store].
func (d *DB) Job(ctx context.Context, account string, id job.ID) (*jobs.Job, error) {
	j, err := database.One[jobs.Job](ctx, d.Writer, "reading a job", op.ErrUnknown,
		`SELECT `+jobColumns+` FROM jobs WHERE id = $1`, string(id))
	if err == nil && account != "" && j.Account != account {
		err = op.ErrUnknown
	}
	if err != nil {
		return nil, err
	}

	return &j, nil
}

// Unfinished implements [jobs.Store].
func (d *DB) Unfinished(ctx context.Context) ([]jobs.Job, error) {
	return database.All[jobs.Job](ctx, d.Reader, "listing unfinished jobs",
		`SELECT `+listColumns+` FROM jobs WHERE status IN ('queued', 'running') ORDER BY id`)
}

// End implements [jobs.Store].
func (d *DB) End(ctx context.Context, id job.ID, status job.JobStatus, why *jobs.Problem, now time.Time) error {
	problem := sql.NullString{}
	if why != nil {
		text, err := json.Marshal(why)
		if err != nil {
			return err
		}

		problem = orNull(string(text))
	}

	return database.Wrap("ending a job", database.ChangeOne(ctx, d.Writer, jobs.ErrConflict,
		`UPDATE jobs SET status = $1, problem = $2, completed_at = $3, expires_at = $4
		 WHERE id = $5 AND status IN ('queued', 'running')`,
		string(status), problem, now.UnixMilli(), now.Add(jobs.KeptFor).UnixMilli(), string(id)))
}

// Delete implements [jobs.Store].
func (d *DB) Delete(ctx context.Context, account string, id job.ID) error {
	ids, err := d.remove(ctx, `DELETE FROM jobs WHERE account = $1 AND id = $2 RETURNING id`, account, string(id))
	if err == nil && len(ids) == 0 {
		err = op.ErrUnknown
	}
	return err
}

// Expire implements [jobs.Store].
func (d *DB) Expire(ctx context.Context, now time.Time) ([]job.ID, error) {
	return d.remove(ctx, `DELETE FROM jobs WHERE expires_at <= $1 RETURNING id`, now.UnixMilli())
}

// DeleteCreated deletes the jobs that an account created until a given time, and returns their ids.
func (d *DB) DeleteCreated(ctx context.Context, account string, until time.Time) ([]job.ID, error) {
	return d.remove(ctx, `DELETE FROM jobs WHERE account = $1 AND created_at <= $2 RETURNING id`, account,
		until.UnixMilli())
}

func (d *DB) remove(ctx context.Context, query string, args ...any) (ids []job.ID, err error) {
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		ids, err = database.All[job.ID](ctx, tx, "deleting jobs", query, args...)
		return err
	})
	if err == nil && d.Path != "" && len(ids) > 0 { // return the free pages to the disk
		err = database.Exec(ctx, d.Writer, `PRAGMA incremental_vacuum`)
	}
	return ids, database.Wrap("deleting jobs", err)
}

// Accounts returns the accounts with jobs.
func (d *DB) Accounts(ctx context.Context) ([]string, error) {
	return database.All[string](ctx, d.Reader, "listing accounts with jobs",
		`SELECT DISTINCT account FROM jobs`)
}
