package store

import (
	"context"
	"database/sql"
	"sync"
)

// Watch has changed called with the id of every account whose plan or keys change
// here, before the method that makes the change returns; and on PostgreSQL, soon
// after, of those that change by way of another process: with account.Everyone when
// the connection was lost, once there is another. It must return fast. Stop ends
// that.
func (d *DB) Watch(changed func(account string)) (stop func()) {
	w := &d.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = make(map[*func(string)]struct{})
	}
	w.all[&changed] = struct{}{}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.all, &changed)
	}
}

// watchers are those who want to know which accounts change.
type watchers struct {
	mu  sync.RWMutex
	all map[*func(account string)]struct{}
}

func (w *watchers) tell(account string) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for changed := range w.all {
		(*changed)(account)
	}
}

// ChangeAccount is transact for what others remember of an account, and tells
// them.
func (d *DB) ChangeAccount(ctx context.Context, id string, change func(*sql.Tx) error) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		if err := change(tx); err != nil || d.listener == nil {
			return err
		}
		// PostgreSQL sends it with the commit.
		_, err := tx.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, id)
		return err
	})
	d.watchers.tell(id) // after a failure too: it may have been written all the same
	return err
}
