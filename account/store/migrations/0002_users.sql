-- People and how they sign in. Hashes are hexadecimal HMAC-SHA-256 of tokens,
-- which themselves are not kept.

-- +goose Up
CREATE TABLE users (
    id             TEXT    NOT NULL PRIMARY KEY,
    account_id     TEXT    NOT NULL UNIQUE REFERENCES accounts (id),
    email          TEXT    NOT NULL UNIQUE, -- in lower case
    email_verified INTEGER NOT NULL,
    name           TEXT    NOT NULL,
    image          TEXT    NOT NULL,
    created_at     BIGINT  NOT NULL,
    updated_at     BIGINT  NOT NULL
);

CREATE TABLE logins (
    id         TEXT   NOT NULL PRIMARY KEY,
    user_id    TEXT   NOT NULL REFERENCES users (id),
    provider   TEXT   NOT NULL, -- "credential" for a password
    subject    TEXT   NOT NULL, -- the user as the provider calls them
    password   TEXT   NOT NULL, -- argon2id, or scrypt as better-auth writes it
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (provider, subject)
);

CREATE INDEX logins_of_user ON logins (user_id);

CREATE TABLE sessions (
    id         TEXT    NOT NULL PRIMARY KEY,
    user_id    TEXT    NOT NULL REFERENCES users (id),
    hash       TEXT    NOT NULL UNIQUE,
    brief      INTEGER NOT NULL, -- ends with the browser
    address    TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL
);

CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE verifications (
    hash       TEXT    NOT NULL PRIMARY KEY,
    purpose    TEXT    NOT NULL,
    subject    TEXT    NOT NULL, -- the id of a user, or an address
    value      TEXT    NOT NULL,
    used       INTEGER NOT NULL,
    expires_at BIGINT  NOT NULL
);

CREATE INDEX verifications_of_subject ON verifications (subject);
CREATE INDEX verifications_by_end ON verifications (expires_at);
