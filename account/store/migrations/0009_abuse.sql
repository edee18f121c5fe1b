-- What bounds sign-ups and mailed links, where people sign in from, and the wider
-- network that a message to the operators came from.

-- +goose Up

-- How often something was done on a day (UTC, as 2026-11-22).
CREATE TABLE daily_counts (
    day  TEXT   NOT NULL,
    name TEXT   NOT NULL, -- hexadecimal HMAC-SHA-256 of what is counted
    n    BIGINT NOT NULL,
    PRIMARY KEY (day, name)
);

-- The networks from which users have signed in, so that wrong passwords from elsewhere
-- do not delay them.
CREATE TABLE known_networks (
    user_id TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    network TEXT   NOT NULL, -- hexadecimal HMAC-SHA-256 of the user and the network
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, network)
);

CREATE INDEX known_networks_by_age ON known_networks (seen_at);

ALTER TABLE inquiries ADD COLUMN site TEXT; -- the IPv6 /48 of the sender, for an hour
