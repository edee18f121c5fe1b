-- Indexes for what finds its rows in tables that grow without a bound, and for what
-- deletes from them in the background.

-- +goose Up
DROP INDEX api_keys_of_account;
CREATE INDEX api_keys_of_account ON api_keys (account_id, revoked_at);
CREATE INDEX api_keys_of_parent ON api_keys (parent_id, revoked_at);
CREATE INDEX api_keys_by_revocation ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX api_keys_by_end ON api_keys (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX oauth_clients_by_use ON oauth_clients (used_at);
CREATE INDEX users_unverified ON users (created_at) WHERE email_verified = 0;
CREATE INDEX mails_finished ON mails (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX invoices_label ON invoices (label);

-- Keys lose their names when they are revoked.
UPDATE api_keys SET name = '' WHERE revoked_at IS NOT NULL;
