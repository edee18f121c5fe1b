package store

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// BenchmarkFeed reads pages of the feed of an account that watches 100,000 companies with a million events.
func BenchmarkFeed(b *testing.B) {
	const companies, events = 100_000, 1_000_000
	db := openDB(b, filepath.Join(b.TempDir(), "history.db"))
	for _, statement := range []string{
		`INSERT INTO watchlists (ordinal, id, account, name, kinds, digest, every, feed_token, created_at)
			VALUES (1, 'wl_1', 'a', 'list', 1, 'none', 'day', '1', 0)`,
		series(companies, `INSERT INTO watched (list, company, account, added_at) SELECT 1, n, 'a', 0 FROM series`),
		series(events, fmt.Sprintf(`INSERT INTO events (number, company, at, kinds, document)
			SELECT n, n * 7 %% %d + 1, %d + n, CASE WHEN n %% 100000 = 0 THEN 8 ELSE 2 END,
			'{"type":"company.vat.cancelled","severity":"high","source":{"name":"anaf"}}' FROM series`,
			companies, time.Now().UnixMilli())),
		`INSERT INTO feed (number, list, account, company, kinds) SELECT number, 1, 'a', company, kinds FROM events`,
		fmt.Sprintf(`UPDATE watch_counters SET value = %d WHERE name = 'events'`, events),
	} {
		testkit.NoError(b, database.Exec(b.Context(), db.Writer, statement))
	}

	for name, filter := range map[string]func() monitoring.EventFilter{
		"page": func() monitoring.EventFilter { return monitoring.EventFilter{} },
		"list": func() monitoring.EventFilter { return monitoring.EventFilter{Watchlist: "wl_1"} },
		"kind": func() monitoring.EventFilter { return monitoring.EventFilter{Kinds: 8} }, // ten events have it
		"company": func() monitoring.EventFilter {
			return monitoring.EventFilter{Company: ro.CUI(rand.IntN(companies) + 1)}
		},
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				after := monitoring.EventCursor{Feed: monitoring.FeedOf("a")}
				if name != "company" && name != "kind" {
					after.Number = rand.Int64N(events)
				}

				start := time.Now()
				page, err := db.Feed(b.Context(), "a", after, filter(), 100)
				took = append(took, time.Since(start))
				if err != nil || page.Expired || len(page.Events) == 0 {
					b.Fatal(page, err)
				}
			}

			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// series returns a statement that generates the numbers from 1 to n.
func series(n int, insert string) string {
	return fmt.Sprintf(`WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < %d) %s`, n,
		insert)
}
