-- Jobs: uploaded files, the rows of which are looked up in the background.

-- +goose Up

CREATE TABLE jobs (
    id           TEXT    NOT NULL PRIMARY KEY,
    account      TEXT    NOT NULL,
    status       TEXT    NOT NULL,          -- an api.JobStatus
    total        BIGINT  NOT NULL,          -- rows
    distinct_ids BIGINT  NOT NULL,          -- what the job may cost
    done         BIGINT  NOT NULL DEFAULT 0,
    found        BIGINT  NOT NULL DEFAULT 0,
    not_found    BIGINT  NOT NULL DEFAULT 0,
    invalid      BIGINT  NOT NULL DEFAULT 0,
    failed       BIGINT  NOT NULL DEFAULT 0,
    asked        BIGINT  NOT NULL DEFAULT 0, -- distinct companies of the rows that are done
    cost         BIGINT  NOT NULL DEFAULT 0,
    created_at   BIGINT  NOT NULL,
    started_at   BIGINT ,
    completed_at BIGINT ,
    expires_at   BIGINT ,
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
    number    BIGINT  NOT NULL,           -- from 0
    rows      BIGINT  NOT NULL,
    firsts    BIGINT  NOT NULL,           -- rows whose company occurs here for the first time
    state     BIGINT  NOT NULL DEFAULT 0, -- see jobs.ChunkState
    pass      BIGINT  NOT NULL DEFAULT 0, -- how often it was looked up
    found     BIGINT  NOT NULL DEFAULT 0,
    not_found BIGINT  NOT NULL DEFAULT 0,
    invalid   BIGINT  NOT NULL DEFAULT 0,
    failed    BIGINT  NOT NULL DEFAULT 0,
    cost      BIGINT  NOT NULL DEFAULT 0, -- of all passes that are paid
    price     BIGINT  NOT NULL DEFAULT 0, -- of the last pass
    due       BIGINT  NOT NULL DEFAULT 0, -- when failed rows are tried again, or since when the price is being charged
    input     BYTEA   NOT NULL,           -- JSON, compressed
    outcomes  BYTEA,                      -- see jobs.EncodeOutcomes
    PRIMARY KEY (job, number)
);

-- The right of one process to work on jobs.
CREATE TABLE job_leases (
    name    TEXT    NOT NULL PRIMARY KEY,
    holder  BIGINT  NOT NULL,
    expires BIGINT  NOT NULL
);
