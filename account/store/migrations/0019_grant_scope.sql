-- What a grant permits: scopes with spaces between. Earlier grants keep what their consent
-- page named, which was reading.

-- +goose Up
ALTER TABLE oauth_grants ADD COLUMN scope TEXT NOT NULL DEFAULT 'rodata:read' CHECK (scope <> '');

-- +goose Down
ALTER TABLE oauth_grants DROP COLUMN scope;
