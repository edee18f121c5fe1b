package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/queue"
)

const (
	postgresConnections = 16               // of one process; a server allows 100 by default
	connectTimeout      = 5 * time.Second  // unless the URL has a connect_timeout
	statementTimeout    = 5 * time.Second  // unless the URL has a statement_timeout
	idleTimeout         = 2 * time.Second  // of a transaction, in like manner
	silenceTimeout      = 15 * time.Second // of the network; the server gives up before
	migrationWait       = time.Minute      // for other processes and their locks
)

// migrationLock is the advisory lock that serializes the migrations of processes that start at the same time:
// "rodata" in ASCII.
const migrationLock = 0x726f64617461

// OpenPostgres opens the store in a database by URL, as
// postgres://user:password@host:5432/database?sslmode=verify-full, with libpq's parameters
// (https://www.postgresql.org/docs/current/libpq-connect.html). The database must exist; its tables are
// migrated, and those of a newer version refused. Several processes may have it open, each with up to 16
// connections and one for LISTEN, so a pooler in between must use session pooling. While the server is down,
// calls fail. No error contains the password.
func OpenPostgres(ctx context.Context, url string) (*DB, error) {
	config, err := postgresConfig(url)
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
	if err := migratePostgres(ctx, config.Copy()); err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(postgresConnections)
	db.SetMaxIdleConns(postgresConnections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	db.SetConnMaxLifetime(time.Hour) // to find a server that has moved
	d := &DB{dialect: goose.DialectPostgres, DB: database.DB{Writer: db, Reader: db, Holder: newHolder()}}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()

	if d.listener, err = listen(ctx, config.Copy(), d.Holder, d.watchers.tell); err != nil {
		return nil, err
	}
	d.reaper, d.pool = &reaper{db: d}, queue.NewPool()
	d.pool.Repeat(d.reaper.run)
	return d, d.Ping(ctx)
}

// CheckPostgresURL checks the form of a URL for OpenPostgres.
func CheckPostgresURL(url string) error {
	_, err := postgresConfig(url)
	return err
}

// postgresConfig parses a URL. The parser's messages may quote the password, so the error does not contain
// them.
func postgresConfig(address string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, errors.New("the address of the database is not a URL of the form postgres://user:password@host:5432/database; in the password an @ is written as %40, and so on")
	}

	config, err := pgx.ParseConfig(address)
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) {
		return nil, fmt.Errorf("reading a file that the URL of the database names: %w", missing)
	}
	if err != nil {
		return nil, errors.New("the URL of the database has a part that PostgreSQL does not know: compare it with https://www.postgresql.org/docs/current/libpq-connect.html")
	}

	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectTimeout)
	config.DialFunc = dialBounded
	for name, value := range map[string]string{
		"application_name":  "rodata",
		"statement_timeout": strconv.FormatInt(statementTimeout.Milliseconds(), 10),
		// A process that hangs or is cut off keeps accounts locked for this time, which must be well below the
		// lock timeout of charges.
		"idle_in_transaction_session_timeout": strconv.FormatInt(idleTimeout.Milliseconds(), 10),
	} {
		config.RuntimeParams[name] = cmp.Or(config.RuntimeParams[name], value)
	}

	return config, nil
}

// migratePostgres migrates the tables, one process at a time and without a time limit.
func migratePostgres(ctx context.Context, config *pgx.ConnConfig) error {
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	config.RuntimeParams["lock_timeout"] = strconv.FormatInt(migrationWait.Milliseconds(), 10)
	config.DialFunc = dial
	db := stdlib.OpenDB(*config)
	defer db.Close()
	lock, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := lock.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, migrationLock); err != nil {
		return fmt.Errorf("waiting for another process to change its tables: %w", err)
	}

	return migrate(ctx, db, goose.DialectPostgres) // the lock ends with its connection
}

var dialer = net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second,
	Interval: 5 * time.Second, Count: 2}}

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	return dialer.DialContext(ctx, network, address)
}

func dialBounded(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := dial(ctx, network, address)
	return bounded{conn}, err
}

// bounded is a connection with a read timeout, because the server's own timeouts do not help when the network
// drops its packets.
type bounded struct{ net.Conn }

// Write implements net.Conn.
func (b bounded) Write(p []byte) (int, error) {
	if err := b.SetReadDeadline(time.Now().Add(silenceTimeout)); err != nil {
		return 0, err
	}
	return b.Conn.Write(p)
}
