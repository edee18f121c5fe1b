-- The rows of a job by the outcome of their verdict, if it has verdicts.

-- +goose Up

ALTER TABLE jobs ADD COLUMN verdict_stop INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN verdict_incomplete INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN verdict_attention INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN verdict_clear INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job_chunks ADD COLUMN verdict_stop INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job_chunks ADD COLUMN verdict_incomplete INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job_chunks ADD COLUMN verdict_attention INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job_chunks ADD COLUMN verdict_clear INTEGER NOT NULL DEFAULT 0;
