-- Calls that their callers may repeat without paying twice, by Idempotency-Key.

-- +goose Up
CREATE TABLE repeatable_calls (
    account_id  TEXT   NOT NULL,
    key_hash    TEXT   NOT NULL, -- hexadecimal SHA-256 of the Idempotency-Key
    fingerprint TEXT   NOT NULL, -- hexadecimal SHA-256 of what was asked
    charged     BIGINT NOT NULL, -- credits, in all calls under the key
    runs_until  BIGINT NOT NULL, -- end of the lease of the call under way; 0 for none
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (account_id, key_hash)
);

CREATE INDEX repeatable_calls_by_end ON repeatable_calls (expires_at);
