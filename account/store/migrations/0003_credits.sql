-- Credits. None of the tables refers to accounts: charges of many accounts are
-- written together, and one of them must not fail the others.

-- +goose Up

-- What became of an account's credits in a period, as 2026-11.
CREATE TABLE credits (
    account_id TEXT   NOT NULL,
    period     TEXT   NOT NULL,
    used       BIGINT NOT NULL,
    given      BIGINT NOT NULL, -- beyond the plan's
    PRIMARY KEY (account_id, period)
);

-- Each charge that makes up used, for this period and the one before.
CREATE TABLE charges (
    period     TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    account_id TEXT    NOT NULL,
    key_id     TEXT    NOT NULL, -- empty for none
    operation  TEXT    NOT NULL,
    credits    BIGINT  NOT NULL,
    hit        INTEGER NOT NULL, -- 1 when no registry had to be asked
    charged_at BIGINT  NOT NULL,
    PRIMARY KEY (period, id)
);

-- Successful calls of an account by day (UTC, as 2026-11-20) and operation.
CREATE TABLE usage_days (
    account_id TEXT   NOT NULL,
    day        TEXT   NOT NULL,
    operation  TEXT   NOT NULL,
    calls      BIGINT NOT NULL,
    hits       BIGINT NOT NULL,
    credits    BIGINT NOT NULL,
    PRIMARY KEY (account_id, day, operation)
);

CREATE INDEX usage_days_by_day ON usage_days (day);
