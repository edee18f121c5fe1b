package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
)

// channel is the channel of NOTIFY for the ids of changed accounts.
const channel = "rodata_accounts"

const reconnectDelay = time.Second

// listener receives the changes of accounts by other processes. Its connection also holds the lock that shows that this
// process is alive.
type listener struct {
	config *pgx.ConnConfig
	holder int64
	notify func(account string)
}

// listen receives changes until the store is closed. It reconnects after a connection is lost, and then reports a
// change of all accounts.
func (d *DB) listen(ctx context.Context) error {
	l := &listener{config: d.Postgres.Copy(), holder: d.Holder, notify: d.watchers.notify}
	l.config.DialFunc = database.Dial // silence is not an error here
	conn, err := l.connect(ctx)
	if err == nil {
		d.pool.Go(func(ctx context.Context) { l.run(ctx, conn) })
	}

	return err
}

func (l *listener) run(ctx context.Context, conn *pgx.Conn) {
	for {
		if conn != nil {
			l.forward(ctx, conn)
		}
		if work.Sleep(ctx, reconnectDelay) != nil {
			return
		}
		if conn, _ = l.connect(ctx); conn != nil { // Ping reports that the server is down
			l.notify(account.Everyone)
		}
	}
}

func (l *listener) forward(ctx context.Context, conn *pgx.Conn) {
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			ended, cancel := context.WithTimeout(context.WithoutCancel(ctx), database.ConnectTimeout)
			defer cancel()
			conn.Close(ended)
			return
		}

		l.notify(notification.Payload)
	}
}

func (l *listener) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*database.ConnectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, l.config)
	if err != nil {
		return nil, err
	}

	for _, statement := range append(holdStatements(l.holder), `LISTEN `+channel) {
		if _, err := conn.Exec(ctx, statement); err != nil {
			conn.Close(ctx)
			return nil, fmt.Errorf("listening for changes: %w", err)
		}
	}

	return conn, nil
}
