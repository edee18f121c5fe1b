package store

import (
	"context"
	"database/sql"
	"slices"
	"sync"

	"github.com/rodata/rodata/internal/database"
)

// Watch registers a callback for the ID of every account whose plan or keys change. In the process that makes a change,
// the callback runs before the changing method returns. On PostgreSQL it also runs soon after a change by another
// process, and once with account.Everyone after a lost connection. Callbacks run in the
// order of their registration, and must be fast. Stop removes one.
func (d *DB) Watch(changed func(account string)) (stop func()) {
	w := &d.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	one := &changed
	w.all = append(w.all, one)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all = slices.DeleteFunc(w.all, func(other *func(string)) bool { return other == one })
	}
}

type watchers struct {
	mu  sync.RWMutex
	all []*func(account string)
}

func (w *watchers) notify(account string) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, changed := range w.all {
		(*changed)(account)
	}
}

// ChangeAccount is like Transact, for a change to data that other processes cache. It notifies them.
func (d *DB) ChangeAccount(ctx context.Context, id string, change func(*sql.Tx) error) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		if err := change(tx); err != nil || !d.IsPostgres() {
			return err
		}
		// PostgreSQL sends it on commit.
		return database.Exec(ctx, tx, `SELECT pg_notify($1, $2)`, channel, id)
	})

	d.watchers.notify(id) // also after a failure, because the change may have been committed
	return err
}
