-- Accounts and the API keys they own. Times are Unix milliseconds; a hash is the
-- hexadecimal HMAC-SHA-256 of a secret, which itself is not kept.

-- +goose Up
CREATE TABLE accounts (
    id         TEXT   NOT NULL PRIMARY KEY,
    plan       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    closed_at  BIGINT -- once its owner has left; what the law wants kept stays
);

CREATE TABLE api_keys (
    id           TEXT   NOT NULL PRIMARY KEY,
    account_id   TEXT   NOT NULL REFERENCES accounts (id),
    parent_id    TEXT   REFERENCES api_keys (id), -- the key that made it, if a key did
    name         TEXT   NOT NULL,
    prefix       TEXT   NOT NULL,
    last4        TEXT   NOT NULL,
    hash         TEXT   NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT,
    expires_at   BIGINT,
    revoked_at   BIGINT
);

CREATE INDEX api_keys_of_account ON api_keys (account_id);
