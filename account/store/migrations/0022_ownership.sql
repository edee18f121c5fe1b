-- When a user proved to own the address of an account that somebody else may have set up before.

-- +goose Up
ALTER TABLE accounts ADD COLUMN owned_since BIGINT; -- what was created until then is deleted; NULL for no such proof

-- +goose Down
ALTER TABLE accounts DROP COLUMN owned_since;
