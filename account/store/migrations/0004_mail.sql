-- What is to be mailed, and what people wrote to the operators. Times are Unix
-- milliseconds.

-- +goose Up
CREATE TABLE mails (
    id          TEXT    NOT NULL PRIMARY KEY,
    content     TEXT,             -- encrypted, in base64; none once it is sent or given up
    tries       INTEGER NOT NULL,
    due_at      BIGINT,           -- while it is claimed, the end of the lease
    created_at  BIGINT  NOT NULL,
    finished_at BIGINT
);

CREATE INDEX mails_due ON mails (due_at);

CREATE TABLE inquiries (
    id          TEXT   NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL,
    email       TEXT   NOT NULL,
    message     TEXT   NOT NULL,
    network     TEXT,             -- of the sender, for an hour, by which they are counted
    received_at BIGINT NOT NULL
);

CREATE INDEX inquiries_received ON inquiries (received_at);

-- One row, by whose lock inquiries are counted one after the other.
CREATE TABLE inquiry_gate (
    id        INTEGER NOT NULL PRIMARY KEY,
    passed_at BIGINT  NOT NULL
);

INSERT INTO inquiry_gate (id, passed_at) VALUES (1, 0);
