-- What a job stores, what it waits for, and what a list of jobs shows without reading the documents.

-- +goose Up

ALTER TABLE jobs ADD COLUMN heading TEXT NOT NULL DEFAULT '{}';     -- JSON: see jobs.Heading
ALTER TABLE jobs ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;         -- of the document and the blobs of the chunks
ALTER TABLE jobs ADD COLUMN blank INTEGER NOT NULL DEFAULT 0;         -- rows without a tax id
ALTER TABLE jobs ADD COLUMN retrying INTEGER NOT NULL DEFAULT 0;      -- rows that failed and are tried again,
ALTER TABLE jobs ADD COLUMN retry_at INTEGER;                         -- the first of them at this time,
ALTER TABLE jobs ADD COLUMN retry_until INTEGER;                      -- and the last at this time
ALTER TABLE job_chunks ADD COLUMN blank INTEGER NOT NULL DEFAULT 0;

UPDATE jobs SET heading = json_object('column',
        substr(json_extract(document, '$.columns[' || json_extract(document, '$.id') || ']'), 1, 200)),
    bytes = LENGTH(document) + COALESCE((SELECT SUM(LENGTH(input) + COALESCE(LENGTH(outcomes), 0)) FROM job_chunks
        WHERE job = jobs.id), 0);
