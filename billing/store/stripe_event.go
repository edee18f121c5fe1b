package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// ErrDuplicateEvent: the event was handled before.
var ErrDuplicateEvent = errors.New("the event was handled before")

// SeenEvent reports whether an event has been handled.
func (s *Store) SeenEvent(ctx context.Context, id string) (bool, error) {
	n, err := database.One[int](ctx, s.db.Reader, "looking for event "+id, nil,
		`SELECT COUNT(*) FROM stripe_events WHERE id = $1`, id)
	return n > 0, err
}

// ForgetEvents deletes the IDs of events received before a time.
func (s *Store) ForgetEvents(ctx context.Context, before time.Time) error {
	return database.Wrap("deleting old events",
		database.Exec(ctx, s.db.Writer, `DELETE FROM stripe_events WHERE received_at < $1`, before.UnixMilli()))
}

// takeEvent records in a transaction that an event is handled. It returns ErrDuplicateEvent if the event was
// handled before.
func takeEvent(ctx context.Context, tx *sql.Tx, id string, now time.Time) error {
	if id == "" {
		return nil
	}
	return database.ChangeOne(ctx, tx, ErrDuplicateEvent,
		`INSERT INTO stripe_events (id, received_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, id, now.UnixMilli())
}
