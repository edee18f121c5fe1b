-- The key that made a webhook, so that the webhook ends with it.

-- +goose Up

ALTER TABLE webhooks ADD COLUMN key_id TEXT NOT NULL DEFAULT ''; -- empty for a browser
