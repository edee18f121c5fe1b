-- What registries said of companies. Rows are only ever added.

-- +goose Up

CREATE TABLE observations (
    company     BIGINT  NOT NULL,
    at          BIGINT  NOT NULL,
    day         INTEGER NOT NULL, -- whose statuses, in days since 0001-01-01; 0 for the day of at
    fingerprint BYTEA   NOT NULL,
    record      BYTEA   NOT NULL,
    PRIMARY KEY (company, day, at, fingerprint)
);

ALTER TABLE observations ALTER COLUMN record SET STORAGE EXTERNAL; -- it is compressed already

-- Days on which a company was looked at and nothing was new: a column a month, bit 0 for its first day. A row takes
-- a year's looks, because what an entry costs besides is more than a month's bits.
CREATE TABLE looks (
    company  BIGINT  NOT NULL,
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
) WITH (fillfactor = 80); -- for updates in place

-- The same for past days that were asked about.
CREATE TABLE past_looks (
    company   BIGINT  NOT NULL,
    day       INTEGER NOT NULL, -- whose statuses
    looked_on INTEGER NOT NULL,
    PRIMARY KEY (company, day, looked_on)
);

-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a row of % is never changed or deleted', TG_TABLE_NAME;
END $$;
-- +goose StatementEnd

CREATE TRIGGER observations_change BEFORE UPDATE OR DELETE ON observations
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER past_looks_change BEFORE UPDATE OR DELETE ON past_looks
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER looks_delete BEFORE DELETE ON looks FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER looks_update BEFORE UPDATE ON looks FOR EACH ROW
    WHEN (NEW.company <> OLD.company OR NEW.year <> OLD.year
        OR (OLD.month_1 & ~NEW.month_1) <> 0 OR (OLD.month_2 & ~NEW.month_2) <> 0
        OR (OLD.month_3 & ~NEW.month_3) <> 0 OR (OLD.month_4 & ~NEW.month_4) <> 0
        OR (OLD.month_5 & ~NEW.month_5) <> 0 OR (OLD.month_6 & ~NEW.month_6) <> 0
        OR (OLD.month_7 & ~NEW.month_7) <> 0 OR (OLD.month_8 & ~NEW.month_8) <> 0
        OR (OLD.month_9 & ~NEW.month_9) <> 0 OR (OLD.month_10 & ~NEW.month_10) <> 0
        OR (OLD.month_11 & ~NEW.month_11) <> 0 OR (OLD.month_12 & ~NEW.month_12) <> 0)
    EXECUTE FUNCTION refuse_change();

CREATE TRIGGER observations_truncate BEFORE TRUNCATE ON observations EXECUTE FUNCTION refuse_change();
CREATE TRIGGER looks_truncate BEFORE TRUNCATE ON looks EXECUTE FUNCTION refuse_change();
CREATE TRIGGER past_looks_truncate BEFORE TRUNCATE ON past_looks EXECUTE FUNCTION refuse_change();
