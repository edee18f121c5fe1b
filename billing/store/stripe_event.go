package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/internal/database"
)

// SeenEvent implements billing.Store.
func (s *Store) SeenEvent(ctx context.Context, id string) (bool, error) {
	var n int
	if err := s.db.Reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM stripe_events WHERE id = $1`, id).Scan(&n); err != nil {
		return false, fmt.Errorf("looking for event %s: %w", id, err)
	}
	return n > 0, nil
}

// ForgetEvents implements billing.Store.
func (s *Store) ForgetEvents(ctx context.Context, before time.Time) error {
	_, err := s.db.Writer.ExecContext(ctx, `DELETE FROM stripe_events WHERE received_at < $1`, before.UnixMilli())
	return database.Doing("forgetting events", err)
}

// takeEvent records in a transaction that an event is handled. The error is billing.ErrDuplicateEvent when it was
// handled before.
func takeEvent(ctx context.Context, tx *sql.Tx, id string, now time.Time) error {
	if id == "" {
		return nil
	}
	return database.ChangeOne(ctx, tx, billing.ErrDuplicateEvent,
		`INSERT INTO stripe_events (id, received_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, id, now.UnixMilli())
}
