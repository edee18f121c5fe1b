-- The language of a watch-list's digests.

-- +goose Up

ALTER TABLE watchlists ADD COLUMN language TEXT NOT NULL DEFAULT 'both'; -- both, ro, en
