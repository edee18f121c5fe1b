-- Watch-lists, events, and the state of each company that the gateway has looked at.

-- +goose Up

-- Numbers that rise in the order of commits: a transaction that takes some holds the row until its end.
CREATE TABLE watch_counters (
    name  TEXT    NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
);
INSERT INTO watch_counters (name, value) VALUES ('events', 0), ('watchlists', 0);

-- The right of one process to do what only one is to do.
CREATE TABLE watch_leases (
    name    TEXT    NOT NULL PRIMARY KEY,
    holder  INTEGER NOT NULL,
    expires INTEGER NOT NULL
);

-- The last look at each company.
CREATE TABLE looked (
    company       INTEGER NOT NULL PRIMARY KEY,
    at            INTEGER NOT NULL,
    found         INTEGER NOT NULL DEFAULT 1, -- 1 while the company is taken to be known to the tax authority, else 0
    missing_since INTEGER,          -- the first of the last looks in a row that did not find it, or not its name
    statuses      INTEGER NOT NULL, -- two bits each: see watch.Statuses
    nace          INTEGER,
    phone         TEXT,
    texts         TEXT            -- JSON of what the newest record does not say: see watch.Texts; NULL for none
);
CREATE INDEX looked_by_age ON looked (at, company);

-- The last day on which somebody asked for a company; kept while the mirror looks at such companies.
CREATE TABLE seen (
    company INTEGER NOT NULL PRIMARY KEY,
    day     INTEGER NOT NULL -- an api.Date
);

-- What the trade register said of companies that are watched or have been looked at, in the last release that was compared.
CREATE TABLE trade_entries (
    company INTEGER NOT NULL PRIMARY KEY,
    release INTEGER NOT NULL, -- an api.Date
    entry   TEXT    NOT NULL -- JSON: see watch.Entry
);

-- Days of what was done for all companies, or told, once: see DB.Publish and DB.Note.
CREATE TABLE watch_notes (
    name TEXT    NOT NULL PRIMARY KEY,
    day  INTEGER NOT NULL -- an api.Date
);

CREATE TABLE events (
    number   INTEGER NOT NULL PRIMARY KEY, -- of the counter events
    company  INTEGER,                      -- NULL for events that are not of a company
    at       INTEGER NOT NULL,
    kinds    INTEGER NOT NULL,             -- an api.EventSet
    document TEXT    NOT NULL              -- JSON: see watch.Event
);
CREATE INDEX events_of_company ON events (company, number);
CREATE INDEX events_by_time ON events (at);

CREATE TABLE watchlists (
    ordinal    INTEGER NOT NULL PRIMARY KEY, -- of the counter watchlists
    id         TEXT    NOT NULL UNIQUE,
    account    TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    kinds      INTEGER NOT NULL, -- an api.EventSet
    digest     TEXT    NOT NULL, -- none, daily, weekly
    digest_at  INTEGER,          -- when the next one is due; NULL for none
    digest_after INTEGER, -- the number of the last event that a digest has told; NULL before the first
    digest_until INTEGER, -- that of the last event of the digest that is being written; NULL while none is
    every      TEXT    NOT NULL, -- day, week
    feed_token TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    companies  INTEGER NOT NULL DEFAULT 0, -- how many it has; changes in the transaction that adds or removes some
    unpaid     INTEGER           -- the month whose price could not be paid, as 202611; NULL while all are paid
);
CREATE INDEX watchlists_of_account ON watchlists (account, ordinal);
CREATE INDEX watchlists_with_digest ON watchlists (digest_at) WHERE digest_at IS NOT NULL;

CREATE TABLE watched (
    list       INTEGER NOT NULL REFERENCES watchlists (ordinal) ON DELETE CASCADE,
    company    INTEGER NOT NULL,
    account    TEXT    NOT NULL,
    reference  TEXT,
    added_at   INTEGER NOT NULL,
    PRIMARY KEY (list, company)
) WITHOUT ROWID;
CREATE INDEX watched_companies ON watched (company);
CREATE INDEX watched_of_account ON watched (account, company);

-- The last month, as 202611, that an account paid for a company. It outlives the watching, so that a company that is
-- removed and added again is not paid for twice.
CREATE TABLE paid (
    account TEXT    NOT NULL,
    company INTEGER NOT NULL,
    month   INTEGER NOT NULL,
    PRIMARY KEY (account, company)
) WITHOUT ROWID;
CREATE INDEX paid_by_month ON paid (month);

-- Events as watch-lists got them.
CREATE TABLE feed (
    number    INTEGER NOT NULL REFERENCES events (number) ON DELETE CASCADE,
    list      INTEGER NOT NULL, -- 0 for events that are not of a watch-list
    account   TEXT    NOT NULL,
    company   INTEGER,
    reference TEXT,
    kinds     INTEGER NOT NULL,
    PRIMARY KEY (account, number, list)
) WITHOUT ROWID;
CREATE INDEX feed_by_company ON feed (company, number, list);
CREATE INDEX feed_of_list ON feed (list, number);
CREATE INDEX feed_of_company ON feed (list, company, number); -- for the last event of a watched company
CREATE INDEX feed_of_event ON feed (number);

-- The newest event that was deleted from each account's feed because of its age; of the empty account, from the feed of
-- all changes.
CREATE TABLE feed_expired (
    account TEXT    NOT NULL PRIMARY KEY,
    number  INTEGER NOT NULL
);
