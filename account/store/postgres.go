package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/queue"
)

// postgresConnections is the maximum per process; a server allows 100 by default.
const postgresConnections = 16

// OpenPostgres opens the store in a database by URL, as
// postgres://user:password@host:5432/database?sslmode=verify-full, with libpq's parameters
// (https://www.postgresql.org/docs/current/libpq-connect.html). The database must exist; its tables are migrated, and
// tables of a newer version are refused. Several processes may have it open, each with up to 16 connections and one for
// LISTEN, so a pooler in between must use session pooling. While the server is down, calls fail. No error contains the
// password.
func OpenPostgres(ctx context.Context, url string) (*DB, error) {
	config, err := database.PostgresConfig(url)
	if err != nil {
		return nil, fmt.Errorf("opening the account store: %w", err)
	}

	d, err := openPostgres(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening the account store, database %s on %s:%d: %w", config.Database, config.Host,
			config.Port, err)
	}

	return d, nil
}

func openPostgres(ctx context.Context, config *pgx.ConnConfig) (_ *DB, err error) {
	if err := schema(goose.DialectPostgres).MigratePostgres(ctx, config); err != nil {
		return nil, err
	}

	d := &DB{dialect: goose.DialectPostgres, DB: database.OpenPostgres(config, postgresConnections),
		statements: database.PostgresStatements()}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()

	if d.listener, err = listen(ctx, config.Copy(), d.Holder, d.watchers.notify); err != nil {
		return nil, err
	}

	d.reaper, d.pool = &reaper{db: d}, queue.NewPool()
	d.pool.Repeat(d.reaper.run)
	return d, d.Ping(ctx)
}

// CheckPostgresURL validates a URL for OpenPostgres.
func CheckPostgresURL(url string) error {
	_, err := database.PostgresConfig(url)
	return err
}
