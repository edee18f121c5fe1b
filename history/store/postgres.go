package store

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
)

// postgresConnections is the maximum per process, in addition to the accounts' connections.
const postgresConnections = 4

// OpenPostgres opens the store in the database of a URL, which may be the accounts' database. It migrates older tables
// and refuses newer ones. Several processes may have it open.
func OpenPostgres(ctx context.Context, url string) (*DB, error) {
	config, err := database.PostgresConfig(url)
	if err != nil {
		return nil, fmt.Errorf("opening the store of observations: %w", err)
	}

	if err := schema("postgres").MigratePostgres(ctx, config); err != nil {
		return nil, fmt.Errorf("opening the store of observations, database %s on %s:%d: %w",
			config.Database, config.Host, config.Port, err)
	}

	return &DB{
		dialect: goose.DialectPostgres, postgres: config, statements: database.PostgresStatements(),
		DB: database.OpenPostgres(config, postgresConnections),
	}, nil
}
