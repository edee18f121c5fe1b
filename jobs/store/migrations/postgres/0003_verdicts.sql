-- The rows of a job by the outcome of their verdict, if it has verdicts.

-- +goose Up

ALTER TABLE jobs ADD COLUMN verdict_stop BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN verdict_incomplete BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN verdict_attention BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN verdict_clear BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job_chunks ADD COLUMN verdict_stop BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job_chunks ADD COLUMN verdict_incomplete BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job_chunks ADD COLUMN verdict_attention BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job_chunks ADD COLUMN verdict_clear BIGINT NOT NULL DEFAULT 0;
