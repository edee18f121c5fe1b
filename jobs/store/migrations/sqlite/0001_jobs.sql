-- Jobs: uploaded files, the rows of which are looked up in the background.

-- +goose Up

CREATE TABLE jobs (
    id           TEXT    NOT NULL PRIMARY KEY,
    account      TEXT    NOT NULL,
    status       TEXT    NOT NULL,          -- an api.JobStatus
    total        INTEGER NOT NULL,          -- rows
    distinct_ids INTEGER NOT NULL,          -- what the job may cost
    done         INTEGER NOT NULL DEFAULT 0,
    found        INTEGER NOT NULL DEFAULT 0,
    not_found    INTEGER NOT NULL DEFAULT 0,
    invalid      INTEGER NOT NULL DEFAULT 0,
    failed       INTEGER NOT NULL DEFAULT 0,
    asked        INTEGER NOT NULL DEFAULT 0, -- distinct companies of the rows that are done
    cost         INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    started_at   INTEGER,
    completed_at INTEGER,
    expires_at   INTEGER,
    problem      TEXT,                      -- JSON: see jobs.Problem
    document     TEXT    NOT NULL,          -- JSON: see jobs.Order
    key_hash     TEXT,                      -- of the Idempotency-Key; NULL for none
    fingerprint  TEXT,
    UNIQUE (account, key_hash)
);
CREATE INDEX jobs_of_account ON jobs (account, id);
CREATE INDEX jobs_to_do ON jobs (id) WHERE status IN ('queued', 'running');
CREATE INDEX jobs_to_delete ON jobs (expires_at) WHERE expires_at IS NOT NULL;

-- The rows of a job, some hundreds at a time. The blobs come last: counting does not read them.
CREATE TABLE job_chunks (
    job       TEXT    NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    number    INTEGER NOT NULL,           -- from 0
    rows      INTEGER NOT NULL,
    firsts    INTEGER NOT NULL,           -- rows whose company occurs here for the first time
    state     INTEGER NOT NULL DEFAULT 0, -- see jobs.ChunkState
    pass      INTEGER NOT NULL DEFAULT 0, -- how often it was looked up
    found     INTEGER NOT NULL DEFAULT 0,
    not_found INTEGER NOT NULL DEFAULT 0,
    invalid   INTEGER NOT NULL DEFAULT 0,
    failed    INTEGER NOT NULL DEFAULT 0,
    cost      INTEGER NOT NULL DEFAULT 0, -- of all passes that are paid
    price     INTEGER NOT NULL DEFAULT 0, -- of the last pass
    due       INTEGER NOT NULL DEFAULT 0, -- when failed rows are tried again, or since when the price is being charged
    input     BLOB    NOT NULL,           -- JSON, compressed
    outcomes  BLOB,                       -- see jobs.EncodeOutcomes
    PRIMARY KEY (job, number)
);

-- The right of one process to work on jobs.
CREATE TABLE job_leases (
    name    TEXT    NOT NULL PRIMARY KEY,
    holder  INTEGER NOT NULL,
    expires INTEGER NOT NULL
);
