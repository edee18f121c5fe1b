-- Checks whether the yearly statement of a watched company is absent: see mirror.StatementChecks.

-- +goose Up

CREATE TABLE statement_checks (
    company BIGINT NOT NULL PRIMARY KEY,
    year    BIGINT NOT NULL, -- the financial year of the last check
    due_at  BIGINT           -- when the next check is due; NULL once the year is settled
);
