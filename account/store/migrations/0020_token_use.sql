-- When a token was first exchanged, in Unix milliseconds; null for tokens that were not, or
-- by an earlier release.

-- +goose Up
ALTER TABLE oauth_tokens ADD COLUMN used_at BIGINT;

-- +goose Down
ALTER TABLE oauth_tokens DROP COLUMN used_at;
