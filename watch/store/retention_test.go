package store

import (
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/testkit"
)

func TestRetention(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		list(t, db, "a", 1, monitoring.DefaultEvents, acme)
		for _, hours := range []time.Duration{0, 1, 2, 30, 3, 40} { // the fifth was observed before the fourth
			e := event(acme)
			e.At = morning.Add(hours * time.Hour)
			addEvents(t, db, e)
		}

		deleted := func(limit int) int64 {
			t.Helper()
			return testkit.Must(db.DeleteEvents(ctx, morning.Add(24*time.Hour), limit))
		}
		for i, want := range []int64{2, 1, 0} {
			if got := deleted(2); got != want {
				t.Errorf("step %d deleted %d, want %d", i, got, want)
			}
		}

		p, err := db.Feed(ctx, "a", monitoring.EventCursor{}, monitoring.EventFilter{}, 10)
		if err != nil || len(p.Events) != 3 || p.Events[0].Cursor.Number != 4 {
			t.Errorf("%+v are left, %v", p, err)
		}

		if n, err := db.DeleteEvents(ctx, morning.Add(100*time.Hour), 100); err != nil || n != 3 {
			t.Errorf("deleted %d, %v, want all", n, err)
		}
		if n, err := db.DeleteEvents(ctx, morning.Add(100*time.Hour), 100); err != nil || n != 0 {
			t.Errorf("deleted %d events from an empty store, %v", n, err)
		}

		var rows int
		if err := db.Reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM feed`).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows of feeds are left, %v", rows, err)
		}
	})
}
