-- What a job stores, what it waits for, and what a list of jobs shows without reading the documents.

-- +goose Up

ALTER TABLE jobs ADD COLUMN heading TEXT NOT NULL DEFAULT '{}';     -- JSON: see jobs.Heading
ALTER TABLE jobs ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;         -- of the document and the blobs of the chunks
ALTER TABLE jobs ADD COLUMN blank BIGINT NOT NULL DEFAULT 0;         -- rows without a tax id
ALTER TABLE jobs ADD COLUMN retrying BIGINT NOT NULL DEFAULT 0;      -- rows that failed and are tried again,
ALTER TABLE jobs ADD COLUMN retry_at BIGINT;                         -- the first of them at this time,
ALTER TABLE jobs ADD COLUMN retry_until BIGINT;                      -- and the last at this time
ALTER TABLE job_chunks ADD COLUMN blank BIGINT NOT NULL DEFAULT 0;

UPDATE jobs SET heading = json_build_object('column',
        left(document::json -> 'columns' ->> (document::json ->> 'id')::int, 200))::text,
    bytes = OCTET_LENGTH(document) + COALESCE((SELECT SUM(OCTET_LENGTH(input) + COALESCE(OCTET_LENGTH(outcomes), 0)) FROM job_chunks
        WHERE job = jobs.id), 0);
