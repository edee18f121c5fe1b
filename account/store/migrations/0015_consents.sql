-- What a person accepted at sign-up: the terms of use and the privacy statement.

-- +goose Up
ALTER TABLE users ADD COLUMN consent TEXT NOT NULL DEFAULT ''; -- version of the texts; empty for none
ALTER TABLE users ADD COLUMN consented_at BIGINT NOT NULL DEFAULT 0;
