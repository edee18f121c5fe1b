-- The fingerprint of the deployment's secret: one row.

-- +goose Up
CREATE TABLE secret_fingerprint (
	id          INTEGER PRIMARY KEY CHECK (id = 1),
	fingerprint TEXT NOT NULL
);

-- +goose Down
DROP TABLE secret_fingerprint;
