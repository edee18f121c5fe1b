package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/jobs"
)

const jobColumns = `id, account, status, total, distinct_ids, done, found, not_found, invalid, failed, asked, cost,
	created_at, started_at, completed_at, expires_at, problem, document`

func scanJob(r database.Row, j *jobs.Job) error {
	return r.Scan(&j.ID, &j.Account, &j.Status, &j.Total, &j.Distinct, &j.Done, &j.Found, &j.NotFound, &j.Invalid,
		&j.Failed, &j.Asked, &j.Cost, database.Time(&j.CreatedAt), database.Time(&j.StartedAt),
		database.Time(&j.CompletedAt), database.Time(&j.ExpiresAt), database.JSON(&j.Problem), database.JSON(&j.Order))
}

// Create implements [jobs.Store].
func (d *DB) Create(ctx context.Context, job *jobs.Job, chunks []jobs.Chunk, key, fingerprint string,
	most int) (created *jobs.Job, err error) {
	document, err := json.Marshal(job.Order)
	if err != nil {
		return nil, err
	}

	err = d.Transact(ctx, func(tx *sql.Tx) error {
		if created, err = repeated(ctx, tx, job.Account, key, fingerprint); err != nil || created != nil {
			return err
		}

		unfinished, err := database.One(ctx, tx, "counting jobs", nil, database.Value[int],
			`SELECT COUNT(*) FROM jobs WHERE account = $1 AND status IN ('queued', 'running')`, job.Account)
		if err != nil {
			return err
		}
		if unfinished >= most {
			return &api.JobsFull{Most: most}
		}

		created = job
		return insert(ctx, tx, job, chunks, string(document), orNull(key), orNull(fingerprint))
	})
	if err != nil {
		return nil, database.Doing("creating a job", err)
	}

	return created, nil
}

// repeated returns the job that an account has already created under a key, or nil. It returns api.ErrOtherUpload if
// that job has another fingerprint.
func repeated(ctx context.Context, tx *sql.Tx, account, key, fingerprint string) (*jobs.Job, error) {
	if key == "" {
		return nil, nil
	}

	earlier, err := database.One(ctx, tx, "reading an Idempotency-Key", sql.ErrNoRows, database.Value[string],
		`SELECT fingerprint FROM jobs WHERE account = $1 AND key_hash = $2`, account, key)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	case earlier != fingerprint:
		return nil, api.ErrOtherUpload
	}

	j, err := database.One(ctx, tx, "reading a job", sql.ErrNoRows, scanJob,
		`SELECT `+jobColumns+` FROM jobs WHERE account = $1 AND key_hash = $2`, account, key)
	return &j, err
}

func insert(ctx context.Context, tx *sql.Tx, job *jobs.Job, chunks []jobs.Chunk, document string, key,
	fingerprint sql.NullString) error {
	err := database.Exec(ctx, tx,
		`INSERT INTO jobs (id, account, status, total, distinct_ids, created_at, document, key_hash, fingerprint)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		string(job.ID), job.Account, string(job.Status), job.Total, job.Distinct, job.CreatedAt.UnixMilli(), document,
		key, fingerprint)
	if err != nil {
		return err
	}

	for i := range chunks {
		c := &chunks[i]
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
func (d *DB) Jobs(ctx context.Context, account string) ([]jobs.Job, error) {
	return database.Collect(ctx, d.Reader, "listing jobs", scanJob,
		`SELECT `+jobColumns+` FROM jobs WHERE account = $1 ORDER BY id DESC`, account)
}

// Job implements [jobs.Store].
func (d *DB) Job(ctx context.Context, account string, id api.JobID) (*jobs.Job, error) {
	j, err := database.One(ctx, d.Writer, "reading a job", api.ErrUnknown, scanJob,
		`SELECT `+jobColumns+` FROM jobs WHERE id = $1`, string(id))
	if err == nil && account != "" && j.Account != account {
		err = api.ErrUnknown
	}
	if err != nil {
		return nil, err
	}

	return &j, nil
}

// Unfinished implements [jobs.Store].
func (d *DB) Unfinished(ctx context.Context) ([]jobs.Job, error) {
	return database.Collect(ctx, d.Reader, "listing unfinished jobs", scanJob,
		`SELECT `+jobColumns+` FROM jobs WHERE status IN ('queued', 'running') ORDER BY id`)
}

// End implements [jobs.Store].
func (d *DB) End(ctx context.Context, id api.JobID, status api.JobStatus, why *jobs.Problem, now time.Time) error {
	problem := sql.NullString{}
	if why != nil {
		text, err := json.Marshal(why)
		if err != nil {
			return err
		}

		problem = orNull(string(text))
	}

	return database.Doing("ending a job", database.ChangeOne(ctx, d.Writer, jobs.ErrConflict,
		`UPDATE jobs SET status = $1, problem = $2, completed_at = $3, expires_at = $4
		 WHERE id = $5 AND status IN ('queued', 'running')`,
		string(status), problem, now.UnixMilli(), now.Add(jobs.KeptFor).UnixMilli(), string(id)))
}

// Expire implements [jobs.Store].
func (d *DB) Expire(ctx context.Context, now time.Time) ([]api.JobID, error) {
	return d.remove(ctx, `DELETE FROM jobs WHERE expires_at <= $1 RETURNING id`, now.UnixMilli())
}

// DeleteAccount deletes the jobs of an account, and returns their ids.
func (d *DB) DeleteAccount(ctx context.Context, account string) ([]api.JobID, error) {
	return d.remove(ctx, `DELETE FROM jobs WHERE account = $1 RETURNING id`, account)
}

func (d *DB) remove(ctx context.Context, query string, arg any) (ids []api.JobID, err error) {
	err = d.Transact(ctx, func(tx *sql.Tx) error {
		ids, err = database.Collect(ctx, tx, "deleting jobs", database.Value[api.JobID], query, arg)
		return err
	})
	if err == nil && d.Path != "" && len(ids) > 0 { // return the free pages to the disk
		err = database.Exec(ctx, d.Writer, `PRAGMA incremental_vacuum`)
	}
	return ids, database.Doing("deleting jobs", err)
}

// Accounts returns the accounts with jobs.
func (d *DB) Accounts(ctx context.Context) ([]string, error) {
	return database.Collect(ctx, d.Reader, "listing accounts with jobs", database.Value[string],
		`SELECT DISTINCT account FROM jobs`)
}
