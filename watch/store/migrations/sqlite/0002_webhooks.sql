-- Webhooks of accounts, and the deliveries of events to them.

-- +goose Up

INSERT INTO watch_counters (name, value) VALUES ('webhooks', 0);

CREATE TABLE webhooks (
    ordinal       INTEGER NOT NULL PRIMARY KEY, -- of the counter webhooks
    id            TEXT    NOT NULL UNIQUE,
    account       TEXT    NOT NULL,
    url           TEXT    NOT NULL,
    all_lists     INTEGER NOT NULL, -- 1: the events of all watch-lists; 0: of those in webhook_lists
    kinds         INTEGER NOT NULL, -- an api.EventSet
    secrets       BLOB    NOT NULL, -- encrypted
    disabled      TEXT,             -- why nothing is sent; NULL while it is active
    told          INTEGER NOT NULL, -- 0: the account is to be told that it was disabled
    failing_since INTEGER,          -- the first failure since the last success
    created_at    INTEGER NOT NULL
);
CREATE INDEX webhooks_of_account ON webhooks (account, ordinal);
CREATE INDEX webhooks_untold ON webhooks (ordinal) WHERE told = 0;

CREATE TABLE webhook_lists (
    webhook INTEGER NOT NULL REFERENCES webhooks (ordinal) ON DELETE CASCADE,
    list    INTEGER NOT NULL REFERENCES watchlists (ordinal) ON DELETE CASCADE,
    PRIMARY KEY (webhook, list)
) WITHOUT ROWID;
CREATE INDEX webhook_lists_of_list ON webhook_lists (list);

-- A delivery is an event for a webhook. The webhook is not a foreign key: deleting one must not fail the transaction
-- that is writing an event for it.
CREATE TABLE deliveries (
    webhook    INTEGER NOT NULL, -- its ordinal
    number     INTEGER NOT NULL, -- of the event
    list       INTEGER NOT NULL, -- 0 for events that are not of a watch-list
    company    INTEGER,
    created_at INTEGER NOT NULL,
    tries      INTEGER NOT NULL,
    due_at     INTEGER,          -- when the next try is due; NULL once it is settled
    delivered  INTEGER NOT NULL DEFAULT 0,
    tried_at   INTEGER,          -- the last try, with what became of it
    status     INTEGER,          -- of the answer; NULL for none
    failure    TEXT,             -- why it failed; NULL for a success
    duration   INTEGER,          -- in milliseconds
    PRIMARY KEY (webhook, number, list)
) WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (webhook, due_at, number, list) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_in_order ON deliveries (webhook, company, number, list, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_time ON deliveries (created_at);
