-- The key to which the present address of the feeds was shown, so that the address ends with it.

-- +goose Up

ALTER TABLE watchlists ADD COLUMN feed_key TEXT NOT NULL DEFAULT ''; -- empty for a browser
