-- Receipts of what was answered, and the keys that sign them.

-- +goose Up

CREATE TABLE receipts (
    id        TEXT   NOT NULL PRIMARY KEY,
    issued_at BIGINT NOT NULL,
    key_id    TEXT   NOT NULL,
    jwt       TEXT   NOT NULL -- with what it states
);
CREATE INDEX receipts_by_time ON receipts (issued_at);

CREATE TABLE receipt_keys (
    number      INTEGER NOT NULL PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    public_key  BYTEA   NOT NULL,
    private_key BYTEA   NOT NULL, -- encrypted; empty once erased
    created_at  BIGINT  NOT NULL,
    signs_from  BIGINT  NOT NULL
);

CREATE TRIGGER receipts_update BEFORE UPDATE ON receipts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipts_truncate BEFORE TRUNCATE ON receipts EXECUTE FUNCTION refuse_change();

CREATE TRIGGER receipt_keys_update BEFORE UPDATE ON receipt_keys FOR EACH ROW
    WHEN (NEW.number <> OLD.number OR NEW.id <> OLD.id OR NEW.public_key <> OLD.public_key
        OR NEW.created_at <> OLD.created_at OR NEW.signs_from <> OLD.signs_from OR length(NEW.private_key) > 0)
    EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipt_keys_delete BEFORE DELETE ON receipt_keys FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipt_keys_truncate BEFORE TRUNCATE ON receipt_keys EXECUTE FUNCTION refuse_change();
