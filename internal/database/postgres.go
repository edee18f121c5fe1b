package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// ConnectTimeout is the maximum time for connecting to PostgreSQL, unless the URL has a connect_timeout.
const ConnectTimeout = 5 * time.Second

const (
	statementTimeout = 5 * time.Second  // unless the URL has a statement_timeout
	idleTimeout      = 2 * time.Second  // of a transaction, likewise
	silenceTimeout   = 15 * time.Second // for reads from a dead network; the server's own timeouts are shorter
)

// openPostgres opens a pool of at most limit connections. It does not connect yet.
func (d *DB) openPostgres(limit int) {
	db := stdlib.OpenDB(*d.Postgres)
	db.SetMaxOpenConns(limit)
	db.SetMaxIdleConns(limit)
	db.SetConnMaxIdleTime(5 * time.Minute)
	db.SetConnMaxLifetime(time.Hour) // to find a server that has moved
	d.Writer, d.Reader, d.Holder = db, db, rand.Int64()
}

// PostgresConfig parses a URL of the form postgres://user:password@host:5432/database, and adds time limits. The
// parser's messages may quote the password, so the error does not contain them.
func PostgresConfig(address string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, errors.New("the address of the database is not a URL of the form " +
			"postgres://user:password@host:5432/database; in the password an @ is written as %40, and so on")
	}

	config, err := pgx.ParseConfig(address)
	if missing, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("reading a file that the URL of the database names: %w", missing)
	}
	if err != nil {
		return nil, errors.New("the URL of the database has a part that PostgreSQL does not know: compare it with " +
			"https://www.postgresql.org/docs/current/libpq-connect.html")
	}

	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, ConnectTimeout)
	config.DialFunc = dialBounded
	for name, value := range map[string]string{
		"application_name":  "rodata",
		"statement_timeout": strconv.FormatInt(statementTimeout.Milliseconds(), 10),
		// A process that hangs or is disconnected keeps accounts locked for this time, which must be well below the
		// lock timeout of charges.
		"idle_in_transaction_session_timeout": strconv.FormatInt(idleTimeout.Milliseconds(), 10),
	} {
		config.RuntimeParams[name] = cmp.Or(config.RuntimeParams[name], value)
	}

	return config, nil
}

var dialer = net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second,
	Interval: 5 * time.Second, Count: 2}}

// Dial connects without a read timeout, because a connection that waits for notifications may be silent for long.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return dialer.DialContext(ctx, network, address)
}

func dialBounded(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := Dial(ctx, network, address)
	return timeoutConn{conn}, err
}

// timeoutConn is a connection with a read timeout, because the server's own timeouts do not help when the network
// drops its packets.
type timeoutConn struct{ net.Conn }

// Write implements net.Conn.
func (b timeoutConn) Write(p []byte) (int, error) {
	if err := b.SetReadDeadline(time.Now().Add(silenceTimeout)); err != nil {
		return 0, err
	}
	return b.Conn.Write(p)
}
