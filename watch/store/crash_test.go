package store

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/long"
)

const crashCompanies = 40

// No matter how often the process is killed, every change stored as an observation has its event, and a row in the feed
// of each watch-list.
func TestCrashLong(t *testing.T) {
	if place, ok := databases.CrashPlace(); ok {
		recordUntilKilled(t, openPlace(t, place))
		return
	}

	migrated.Each(t, func(t *testing.T, place string) {
		companies := make([]ro.CUI, crashCompanies)
		for i := range companies {
			companies[i] = acme + ro.CUI(i)
		}

		db := openPlace(t, place).Store
		list(t, db, "a", 1, monitoring.DefaultEvents, companies...)
		list(t, db, "b", 2, monitoring.DefaultEvents, companies...)
		for range long.Length(t, 3, 30) {
			closeAll(t) // one process at a time may open SQLite
			databases.Crash(t, place, 20+rand.IntN(60), 0)
			wantEventOfEachChange(t, openPlace(t, place).Store)
		}
	})
}

// places are the stores that a test has open.
var places []*historystore.DB

func closeAll(t *testing.T) {
	t.Helper()
	for _, db := range places {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}

	places = nil
}

// openPlace opens a SQLite file, or the database of a URL, until closeAll or the end of the test.
func openPlace(t *testing.T, place string) *Recorder {
	t.Helper()
	observations := testkit.Must(historystore.Open(t.Context(), place))
	if places = append(places, observations); len(places) == 1 {
		t.Cleanup(func() { closeAll(t) })
	}

	db := testkit.Must(Open(t.Context(), observations))
	return newRecorder(db, observations)
}

// recordUntilKilled records answers in which companies gain and lose their VAT registration.
func recordUntilKilled(t *testing.T, r *Recorder) {
	var at time.Time
	err := r.Store.Reader.QueryRowContext(t.Context(), `SELECT COALESCE(MAX(at), $1) FROM observations`,
		morning.UnixMilli()).
		Scan(database.Time(&at))
	for err == nil {
		at = at.Add(time.Second)
		text := "EXEMPLU" + strings.Repeat("!", rand.IntN(2))
		var companies []ro.CUI
		for i := range crashCompanies {
			if rand.IntN(3) == 0 {
				companies = append(companies, acme+ro.CUI(i))
			}
		}

		if err = r.Record(t.Context(), says(at, text, companies...)); err == nil {
			databases.Acknowledge("an answer")
		}
	}

	t.Fatal(err)
}

// wantEventOfEachChange fails unless every observation except a company's first has an event, and every event has a row
// in each feed.
func wantEventOfEachChange(t *testing.T, db *DB) {
	t.Helper()
	ctx := t.Context()
	for name, query := range map[string]string{
		"observations without an event": `SELECT COUNT(*) FROM observations o
			WHERE EXISTS (SELECT 1 FROM observations p WHERE p.company = o.company AND p.at < o.at)
			AND NOT EXISTS (SELECT 1 FROM events e WHERE e.company = o.company AND e.at = o.at)`,
		"events without an observation": `SELECT COUNT(*) FROM events e
			WHERE NOT EXISTS (SELECT 1 FROM observations o WHERE o.company = e.company AND o.at = e.at)`,
		"events without a row in both feeds": `SELECT COUNT(*) FROM events e
			WHERE 2 <> (SELECT COUNT(*) FROM feed f WHERE f.number = e.number)`,
		"numbers left out": `SELECT value - (SELECT COUNT(*) FROM events) FROM watch_counters
			WHERE name = 'events'`,
	} {
		var n int
		if err := db.Reader.QueryRowContext(ctx, query).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d %s, %v", n, name, err)
		}
	}

	if latest, err := db.Latest(ctx); err != nil || latest == 0 {
		t.Errorf("%d events were written, %v", latest, err)
	}
}
