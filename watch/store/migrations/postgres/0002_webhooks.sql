-- Webhooks of accounts, and the deliveries of events to them.

-- +goose Up

INSERT INTO watch_counters (name, value) VALUES ('webhooks', 0);

CREATE TABLE webhooks (
    ordinal       BIGINT NOT NULL PRIMARY KEY, -- of the counter webhooks
    id            TEXT    NOT NULL UNIQUE,
    account       TEXT    NOT NULL,
    url           TEXT    NOT NULL,
    all_lists     BIGINT  NOT NULL, -- 1: the events of all watch-lists; 0: of those in webhook_lists
    kinds         BIGINT  NOT NULL, -- an api.EventSet
    secrets       BYTEA   NOT NULL, -- encrypted
    disabled      TEXT,             -- why nothing is sent; NULL while it is active
    told          BIGINT  NOT NULL, -- 0: the account is to be told that it was disabled
    failing_since BIGINT,          -- the first failure since the last success
    created_at    BIGINT NOT NULL
);
CREATE INDEX webhooks_of_account ON webhooks (account, ordinal);
CREATE INDEX webhooks_untold ON webhooks (ordinal) WHERE told = 0;

CREATE TABLE webhook_lists (
    webhook BIGINT NOT NULL REFERENCES webhooks (ordinal) ON DELETE CASCADE,
    list    BIGINT NOT NULL REFERENCES watchlists (ordinal) ON DELETE CASCADE,
    PRIMARY KEY (webhook, list)
);
CREATE INDEX webhook_lists_of_list ON webhook_lists (list);

-- A delivery is an event for a webhook. The webhook is not a foreign key: deleting one must not fail the transaction
-- that is writing an event for it.
CREATE TABLE deliveries (
    webhook    BIGINT  NOT NULL, -- its ordinal
    number     BIGINT  NOT NULL, -- of the event
    list       BIGINT  NOT NULL, -- 0 for events that are not of a watch-list
    company    BIGINT,
    created_at BIGINT NOT NULL,
    tries      BIGINT NOT NULL,
    due_at     BIGINT,          -- when the next try is due; NULL once it is settled
    delivered  BIGINT NOT NULL DEFAULT 0,
    tried_at   BIGINT,          -- the last try, with what became of it
    status     BIGINT,          -- of the answer; NULL for none
    failure    TEXT,             -- why it failed; NULL for a success
    duration   BIGINT,          -- in milliseconds
    PRIMARY KEY (webhook, number, list)
);
CREATE INDEX deliveries_due ON deliveries (webhook, due_at, number, list) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_in_order ON deliveries (webhook, company, number, list, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_time ON deliveries (created_at);
