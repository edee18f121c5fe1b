-- What registries said of companies. Rows are only ever added.

-- +goose Up

-- The records lie in the order in which they came, so the file fills from its end; the primary key finds them, and
-- also answers what the last fingerprint of a company was.
CREATE TABLE observations (
    company     INTEGER NOT NULL,
    day         INTEGER NOT NULL, -- whose statuses, in days since 0001-01-01; 0 for the day of at
    at          INTEGER NOT NULL,
    fingerprint BLOB    NOT NULL,
    record      BLOB    NOT NULL,
    PRIMARY KEY (company, day, at, fingerprint)
);

-- Days on which a company was looked at and nothing was new: a column a month, bit 0 for its first day. A row takes
-- a year's looks, because what an entry costs besides is more than a month's bits.
CREATE TABLE looks (
    company  INTEGER NOT NULL,
    year     INTEGER NOT NULL,
    month_1  INTEGER NOT NULL DEFAULT 0,
    month_2  INTEGER NOT NULL DEFAULT 0,
    month_3  INTEGER NOT NULL DEFAULT 0,
    month_4  INTEGER NOT NULL DEFAULT 0,
    month_5  INTEGER NOT NULL DEFAULT 0,
    month_6  INTEGER NOT NULL DEFAULT 0,
    month_7  INTEGER NOT NULL DEFAULT 0,
    month_8  INTEGER NOT NULL DEFAULT 0,
    month_9  INTEGER NOT NULL DEFAULT 0,
    month_10 INTEGER NOT NULL DEFAULT 0,
    month_11 INTEGER NOT NULL DEFAULT 0,
    month_12 INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (company, year)
) WITHOUT ROWID;

-- The same for past days that were asked about.
CREATE TABLE past_looks (
    company   INTEGER NOT NULL,
    day       INTEGER NOT NULL, -- whose statuses
    looked_on INTEGER NOT NULL,
    PRIMARY KEY (company, day, looked_on)
) WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER observations_update BEFORE UPDATE ON observations
BEGIN SELECT RAISE(ABORT, 'an observation is never changed'); END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER observations_delete BEFORE DELETE ON observations
BEGIN SELECT RAISE(ABORT, 'an observation is never deleted'); END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER looks_update BEFORE UPDATE ON looks
WHEN NEW.company <> OLD.company OR NEW.year <> OLD.year
    OR OLD.month_1 & ~NEW.month_1 OR OLD.month_2 & ~NEW.month_2 OR OLD.month_3 & ~NEW.month_3
    OR OLD.month_4 & ~NEW.month_4 OR OLD.month_5 & ~NEW.month_5 OR OLD.month_6 & ~NEW.month_6
    OR OLD.month_7 & ~NEW.month_7 OR OLD.month_8 & ~NEW.month_8 OR OLD.month_9 & ~NEW.month_9
    OR OLD.month_10 & ~NEW.month_10 OR OLD.month_11 & ~NEW.month_11 OR OLD.month_12 & ~NEW.month_12
BEGIN SELECT RAISE(ABORT, 'a look is never deleted'); END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER looks_delete BEFORE DELETE ON looks
BEGIN SELECT RAISE(ABORT, 'a look is never deleted'); END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER past_looks_update BEFORE UPDATE ON past_looks
BEGIN SELECT RAISE(ABORT, 'a look is never changed'); END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER past_looks_delete BEFORE DELETE ON past_looks
BEGIN SELECT RAISE(ABORT, 'a look is never deleted'); END;
-- +goose StatementEnd
