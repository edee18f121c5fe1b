-- Watch-lists, events, and the state of each company that the gateway has looked at.

-- +goose Up

-- Numbers that rise in the order of commits: a transaction that takes some holds the row until its end.
CREATE TABLE watch_counters (
    name  TEXT    NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO watch_counters (name, value) VALUES ('events', 0), ('watchlists', 0);

-- The right of one process to do what only one is to do.
CREATE TABLE watch_leases (
    name    TEXT    NOT NULL PRIMARY KEY,
    holder  BIGINT NOT NULL,
    expires BIGINT NOT NULL
);

-- The last look at each company.
CREATE TABLE looked (
    company       BIGINT NOT NULL PRIMARY KEY,
    at            BIGINT NOT NULL,
    found         BIGINT NOT NULL DEFAULT 1, -- 1 while the company is taken to be known to the tax authority, else 0
    missing_since BIGINT,          -- the first of the last looks in a row that did not find it, or not its name
    statuses      BIGINT NOT NULL, -- two bits each: see watch.Statuses
    nace          BIGINT,
    phone         TEXT,
    texts         TEXT            -- JSON of what the newest record does not say: see watch.Texts; NULL for none
);
CREATE INDEX looked_by_age ON looked (at, company);

-- The last day on which somebody asked for a company; kept while the mirror looks at such companies.
CREATE TABLE seen (
    company BIGINT  NOT NULL PRIMARY KEY,
    day     BIGINT  NOT NULL -- an api.Date
);

-- What the trade register said of companies that are watched or have been looked at, in the last release that was compared.
CREATE TABLE trade_entries (
    company BIGINT NOT NULL PRIMARY KEY,
    release BIGINT NOT NULL, -- an api.Date
    entry   TEXT    NOT NULL -- JSON: see watch.Entry
);

-- Days of what was done for all companies, or told, once: see DB.Publish and DB.Note.
CREATE TABLE watch_notes (
    name TEXT    NOT NULL PRIMARY KEY,
    day  BIGINT NOT NULL -- an api.Date
);

CREATE TABLE events (
    number   BIGINT NOT NULL PRIMARY KEY, -- of the counter events
    company  BIGINT,                      -- NULL for events that are not of a company
    at       BIGINT NOT NULL,
    kinds    BIGINT NOT NULL,             -- an api.EventSet
    document TEXT    NOT NULL              -- JSON: see watch.Event
);
CREATE INDEX events_of_company ON events (company, number);
CREATE INDEX events_by_time ON events (at);

CREATE TABLE watchlists (
    ordinal    BIGINT NOT NULL PRIMARY KEY, -- of the counter watchlists
    id         TEXT    NOT NULL UNIQUE,
    account    TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    kinds      BIGINT NOT NULL, -- an api.EventSet
    digest     TEXT    NOT NULL, -- none, daily, weekly
    digest_at  BIGINT,          -- when the next one is due; NULL for none
    digest_after BIGINT, -- the number of the last event that a digest has told; NULL before the first
    digest_until BIGINT, -- that of the last event of the digest that is being written; NULL while none is
    every      TEXT    NOT NULL, -- day, week
    feed_token TEXT    NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    companies  BIGINT NOT NULL DEFAULT 0, -- how many it has; changes in the transaction that adds or removes some
    unpaid     BIGINT           -- the month whose price could not be paid, as 202611; NULL while all are paid
);
CREATE INDEX watchlists_of_account ON watchlists (account, ordinal);
CREATE INDEX watchlists_with_digest ON watchlists (digest_at) WHERE digest_at IS NOT NULL;

CREATE TABLE watched (
    list       BIGINT NOT NULL REFERENCES watchlists (ordinal) ON DELETE CASCADE,
    company    BIGINT NOT NULL,
    account    TEXT    NOT NULL,
    reference  TEXT,
    added_at   BIGINT NOT NULL,
    PRIMARY KEY (list, company)
);
CREATE INDEX watched_companies ON watched (company);
CREATE INDEX watched_of_account ON watched (account, company);

-- The last month, as 202611, that an account paid for a company. It outlives the watching, so that a company that is
-- removed and added again is not paid for twice.
CREATE TABLE paid (
    account TEXT    NOT NULL,
    company BIGINT NOT NULL,
    month   BIGINT NOT NULL,
    PRIMARY KEY (account, company)
);
CREATE INDEX paid_by_month ON paid (month);

-- Events as watch-lists got them.
CREATE TABLE feed (
    number    BIGINT NOT NULL REFERENCES events (number) ON DELETE CASCADE,
    list      BIGINT NOT NULL, -- 0 for events that are not of a watch-list
    account   TEXT    NOT NULL,
    company   BIGINT,
    reference TEXT,
    kinds     BIGINT NOT NULL,
    PRIMARY KEY (account, number, list)
);
CREATE INDEX feed_by_company ON feed (company, number, list);
CREATE INDEX feed_of_list ON feed (list, number);
CREATE INDEX feed_of_company ON feed (list, company, number); -- for the last event of a watched company
CREATE INDEX feed_of_event ON feed (number);

-- The newest event that was deleted from each account's feed because of its age; of the empty account, from the feed of
-- all changes.
CREATE TABLE feed_expired (
    account TEXT    NOT NULL PRIMARY KEY,
    number  BIGINT NOT NULL
);
