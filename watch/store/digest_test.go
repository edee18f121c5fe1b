package store

import (
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/watch"
)

func TestDigests(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		due := time.UnixMilli(1_795_413_600_000)
		next := due.Add(24 * time.Hour)
		db.list(t, 1, "wl_daily", "ours")
		db.list(t, 2, "wl_none", "ours")
		db.list(t, 3, "wl_later", "ours")
		db.exec(t, `UPDATE watchlists SET digest = 'daily', digest_at = $1 WHERE ordinal = 1`, due.UnixMilli())
		db.exec(t, `UPDATE watchlists SET digest = 'weekly', digest_at = $1 WHERE ordinal = 3`, next.UnixMilli())
		db.event(t, 1, 9900000053, "ours", monitoring.SeatExpired, due.Add(-72*time.Hour))
		db.event(t, 1, 9900000010, "ours", monitoring.VATRegistered,
			due.Add(-48*time.Hour)) // before the list had a digest
		db.event(t, 1, 9900000010, "ours", monitoring.VATRegistered, due.Add(-2*time.Hour))
		db.event(t, 1, 9900000029, "ours", monitoring.VATCancelled, due.Add(-3*time.Hour))
		db.event(t, 1, 9900000037, "ours", monitoring.NameChanged, due.Add(-4*time.Hour))
		db.event(t, 2, 9900000010, "ours", monitoring.VATRegistered, due.Add(-time.Hour))

		read := func() watch.Digest {
			t.Helper()
			digests, err := db.DueDigests(t.Context(), due, 10)
			if err != nil || len(digests) != 1 || digests[0].ID != "wl_daily" || !digests[0].Due.Equal(due) ||
				digests[0].Kind != monitoring.DailyDigest || digests[0].Account != "ours" {
				t.Fatalf("due are %+v, %v", digests, err)
			}
			if begun, err := db.BeginDigest(t.Context(), &digests[0]); !begun || err != nil {
				t.Fatalf("%t, %v", begun, err)
			}

			return digests[0]
		}
		first := read()
		db.event(t, 1, 9900000045, "ours", monitoring.VATCancelled, due.Add(-time.Minute)) // committed late
		again := read()
		if again != first {
			t.Errorf("the second attempt covers events up to %d, the first up to %d", again.Until, first.Until)
		}

		events, total, err := db.DigestEvents(t.Context(), again, 3)
		if err != nil || total != 5 || len(events) != 3 || *events[0].Data.TaxID != 9900000029 ||
			*events[1].Data.TaxID != 9900000037 || *events[2].Data.TaxID != 9900000053 {
			t.Errorf("%d events of %d: %+v, %v", len(events), total, events, err)
		}

		for range 2 {
			testkit.NoError(t, db.EndDigest(t.Context(), again, next))
		}

		if begun, err := db.BeginDigest(t.Context(), &first); begun || err != nil {
			t.Errorf("a sent digest began again: %t, %v", begun, err)
		}

		digests, err := db.DueDigests(t.Context(), next, 10)
		if err != nil || len(digests) != 2 {
			t.Fatalf("due are %+v, %v", digests, err)
		}

		one := digests[0]
		if one.ID != "wl_daily" {
			one = digests[1]
		}
		testkit.Must(db.BeginDigest(t.Context(), &one))
		if events, total, err := db.DigestEvents(t.Context(), one, 10); err != nil || total != 1 ||
			*events[0].Data.TaxID != 9900000045 {
			t.Errorf("%d events: %+v, %v", total, events, err)
		}
	})
}

// A newly enabled digest covers the events from then on. A changed digest continues after the previous one.
func TestDigestsThatAreChanged(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		due := time.UnixMilli(1_795_413_600_000)
		db.list(t, 1, "wl_a", "ours")
		set := func(kind monitoring.Digest, at time.Time) {
			t.Helper()
			testkit.Must(db.ChangeList(t.Context(), "ours", "wl_a", func(l *watch.List) {
				l.Digest, l.DigestAt = kind, at
			}))
		}
		count := func() int {
			t.Helper()
			digests, err := db.DueDigests(t.Context(), due, 10)
			if err != nil || len(digests) != 1 {
				t.Fatalf("due are %+v, %v", digests, err)
			}
			if begun, err := db.BeginDigest(t.Context(), &digests[0]); !begun || err != nil {
				t.Fatalf("%t, %v", begun, err)
			}

			_, total, err := db.DigestEvents(t.Context(), digests[0], 10)
			testkit.NoError(t, err)

			return total
		}

		db.event(t, 1, 9900000010, "ours", monitoring.VATRegistered,
			due.Add(-time.Hour)) // while the list has no digest
		set("weekly", due)
		db.event(t, 1, 9900000010, "ours", monitoring.VATRegistered, due.Add(-6*24*time.Hour))
		set("daily", due)
		if n := count(); n != 1 {
			t.Errorf("the digest has %d events, want only the one since it was enabled", n)
		}

		set("none", time.Time{}) // while a digest is being written
		db.event(t, 1, 9900000010, "ours", monitoring.VATRegistered, due)
		set("daily", due)
		if n := count(); n != 0 {
			t.Errorf("after it was enabled again, the digest has %d earlier events", n)
		}
	})
}
