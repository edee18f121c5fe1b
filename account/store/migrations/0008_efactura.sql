-- What operators ask about invoices, and the tokens with which invoices are sent to
-- the tax authority.

-- +goose Up
CREATE INDEX invoices_state ON invoices (state);

CREATE TABLE efactura_tokens (
    name       TEXT   NOT NULL PRIMARY KEY, -- hash of the token that an operator configured
    content    TEXT   NOT NULL,             -- sealed with the secret, base64; empty until one was kept
    held_until BIGINT NOT NULL              -- while one process renews it; Unix milliseconds
);
