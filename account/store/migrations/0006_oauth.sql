-- Apps, what people allow them, and the tokens with which they make use of it.
-- Times are Unix milliseconds; a hash is the hexadecimal HMAC-SHA-256 of a token,
-- which itself is not kept.

-- +goose Up
CREATE TABLE oauth_clients (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    redirects  TEXT   NOT NULL, -- addresses with spaces between, which have none
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL  -- when somebody last allowed it something
);

CREATE TABLE oauth_grants (
    id           TEXT   NOT NULL PRIMARY KEY,
    account_id   TEXT   NOT NULL REFERENCES accounts (id),
    client_id    TEXT   NOT NULL, -- of an oauth_client, or the address of a document
    name         TEXT   NOT NULL,
    resource     TEXT   NOT NULL,
    redirect     TEXT   NOT NULL,
    challenge    TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT,
    expires_at   BIGINT NOT NULL
);

CREATE INDEX oauth_grants_of_account ON oauth_grants (account_id);
CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id);
CREATE INDEX oauth_grants_by_end ON oauth_grants (expires_at);

CREATE TABLE oauth_tokens (
    hash       TEXT    NOT NULL PRIMARY KEY,
    grant_id   TEXT    NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL, -- code, access or refresh
    used       INTEGER NOT NULL, -- it has been exchanged
    expires_at BIGINT  NOT NULL
);

CREATE INDEX oauth_tokens_of_grant ON oauth_tokens (grant_id);
