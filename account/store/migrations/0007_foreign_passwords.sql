-- The passwords that still have the hash with which they were imported, so that
-- whether there are any is quickly known.

-- +goose Up
CREATE INDEX foreign_passwords ON logins (created_at)
    WHERE password <> '' AND substr(password, 1, 1) <> '$';
