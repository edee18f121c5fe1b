-- Receipts of what was answered, and the keys that sign them.

-- +goose Up

CREATE TABLE receipts (
    id        TEXT    NOT NULL PRIMARY KEY,
    issued_at INTEGER NOT NULL,
    key_id    TEXT    NOT NULL,
    jwt       TEXT    NOT NULL -- with what it states
);
CREATE INDEX receipts_by_time ON receipts (issued_at);

CREATE TABLE receipt_keys (
    number      INTEGER NOT NULL PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    public_key  BLOB    NOT NULL,
    private_key BLOB    NOT NULL, -- encrypted; empty once erased
    created_at  INTEGER NOT NULL,
    signs_from  INTEGER NOT NULL
);

-- +goose StatementBegin
CREATE TRIGGER receipts_update BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'a receipt is never changed'); END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER receipt_keys_update BEFORE UPDATE ON receipt_keys
WHEN NEW.number <> OLD.number OR NEW.id <> OLD.id OR NEW.public_key <> OLD.public_key
    OR NEW.created_at <> OLD.created_at OR NEW.signs_from <> OLD.signs_from OR length(NEW.private_key) > 0
BEGIN SELECT RAISE(ABORT, 'a key is never changed'); END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER receipt_keys_delete BEFORE DELETE ON receipt_keys
BEGIN SELECT RAISE(ABORT, 'a key is never deleted'); END;
-- +goose StatementEnd
