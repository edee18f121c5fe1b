package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/watch"
)

// enter records the names that companies have in a release.
func enter(t testing.TB, db *DB, release ro.Date, names map[ro.CUI]string) (changed bool) {
	t.Helper()
	var companies []ro.CUI
	for company := range names {
		companies = append(companies, company)
	}

	slices.Sort(companies)
	changed, err := db.RecordEntries(t.Context(), release, companies, func(c ro.CUI) (watch.Entry, bool) {
		return watch.Entry{Name: names[c], State: company.InOperation}, names[c] != ""
	})
	if err != nil {
		t.Error(err)
	}

	return changed
}

func TestReleasesAreCompared(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		list(t, db, "a", 1, monitoring.DefaultEvents, acme)
		if enter(t, db, 100, map[ro.CUI]string{acme: "A SRL", other: "B SRL"}) {
			t.Error("the first release caused events")
		}
		if enter(t, db, 100, map[ro.CUI]string{acme: "C SRL"}) || enter(t, db, 90, map[ro.CUI]string{acme: "C SRL"}) {
			t.Error("a known or older release caused events")
		}
		if enter(t, db, 101, map[ro.CUI]string{acme: "", other: "b s.r.l."}) {
			t.Error("an omitted company or a different spelling caused events")
		}
		if !enter(t, db, 102, map[ro.CUI]string{acme: "C SRL", other: "D SRL"}) {
			t.Error("the new release caused no events")
		}

		want := []string{"9900000010 company.name.changed", "9900000028 company.name.changed"}
		if got := changes(t, db); !slices.Equal(got, want) {
			t.Errorf("got the events %q, want %q", got, want)
		}

		if p, err := db.Feed(t.Context(), "a", monitoring.EventCursor{}, monitoring.EventFilter{}, 10); err != nil ||
			len(p.Events) != 1 ||
			p.Events[0].Data.Source != (monitoring.EventSource{Name: "onrc", AsOf: p.Events[0].Data.Source.AsOf}) ||
			*p.Events[0].Data.Source.AsOf != 102 {
			t.Errorf("the feed is %+v, %v", p, err)
		}
	})
}

// Only watch-lists and webhooks that name an event about the right to the registered office get it. Neither the first
// known value nor a release without the company causes one.
func TestRightToTheSeatIsNamed(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		named := monitoring.SetOf(monitoring.SeatExpired, monitoring.SeatRenewed)
		list(t, db, "a", 1, monitoring.DefaultEvents, acme)
		list(t, db, "a", 2, named, acme)
		db.webhook(t, "wh_all", "a", monitoring.DefaultEvents)
		db.webhook(t, "wh_seat", "a", named)

		expired, valid := new(true), new(false)
		entries := []*watch.Entry{
			{}, {SeatExpired: expired}, nil, {}, {SeatExpired: valid}, {SeatExpired: valid}, {SeatExpired: expired},
		}
		for i, entry := range entries {
			_, err := db.RecordEntries(t.Context(), ro.Date(100+i), []ro.CUI{acme}, func(ro.CUI) (watch.Entry, bool) {
				if entry == nil {
					return watch.Entry{}, false
				}
				return *entry, true
			})
			testkit.NoError(t, err)
		}

		want := []string{"9900000010 company.seat.renewed", "9900000010 company.seat.expired"}
		if got := changes(t, db); !slices.Equal(got, want) {
			t.Errorf("got the events %q, want %q", got, want)
		}

		for id, want := range map[string]int{"wl_1": 0, "wl_2": 2} {
			filter := monitoring.EventFilter{Watchlist: id}
			p := testkit.Must(db.Feed(t.Context(), "a", monitoring.EventCursor{}, filter, 10))
			if len(p.Events) != want {
				t.Errorf("the watch-list %s has %d events, want %d", id, len(p.Events), want)
			}
		}

		for number := range int64(2) {
			if got := db.queued(t, number+1); !slices.Equal(got, []string{"wh_seat"}) {
				t.Errorf("event %d is queued for %q", number+1, got)
			}
		}
	})
}

// If several processes compare the same release at once, each change has one event.
func TestReleasesAreComparedOnce(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		const companies, releases = 150, 3
		names := func(release int) map[ro.CUI]string {
			all := map[ro.CUI]string{}
			for i := range companies {
				all[acme+ro.CUI(i)] = fmt.Sprintf("EXEMPLU %d SRL", release)
			}
			return all
		}
		for release := range releases {
			var running sync.WaitGroup
			for range 3 {
				running.Go(func() { enter(t, db, ro.Date(release+1), names(release)) })
			}

			running.Wait()
		}

		if n, err := db.Latest(t.Context()); err != nil || n != companies*(releases-1) {
			t.Errorf("%d events, %v, want %d", n, err, companies*(releases-1))
		}
	})
}

func TestCompaniesThatAreKnown(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		list(t, db, "a", 1, monitoring.DefaultEvents, 5, 7)
		list(t, db, "b", 2, monitoring.DefaultEvents, 3, 7)
		for _, company := range []int{1, 3, 8} {
			testkit.NoError(t, database.Exec(ctx, db.Writer, `INSERT INTO looked (company, at, statuses) VALUES ($1, 0, 0)`,
				company))
		}

		for name, c := range map[string]struct {
			got  func(after ro.CUI, limit int) ([]ro.CUI, error)
			want []ro.CUI
		}{
			"watched": {func(after ro.CUI, limit int) ([]ro.CUI, error) {
				return db.WatchedCompanies(ctx, after, limit)
			}, []ro.CUI{3, 5, 7}},
			"known": {func(after ro.CUI, limit int) ([]ro.CUI, error) { return db.KnownCompanies(ctx, after, limit) },
				[]ro.CUI{1, 3, 5, 7, 8}},
		} {
			var all []ro.CUI
			for after := ro.CUI(0); ; {
				some := testkit.Must(c.got(after, 2))
				if len(some) == 0 {
					break
				}

				all, after = append(all, some...), some[len(some)-1]
			}

			if !slices.Equal(all, c.want) {
				t.Errorf("%s: %d, want %d", name, all, c.want)
			}
		}
	})
}

func TestPublications(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		list(t, db, "a", 1, monitoring.DefaultEvents|monitoring.SetOf(monitoring.FXPublished))
		list(t, db, "b", 2, monitoring.DefaultEvents, acme)
		db.webhook(t, "wh_c", "c", monitoring.SetOf(monitoring.FXPublished))
		db.webhook(t, "wh_d", "d", monitoring.DefaultEvents)

		fixing := watch.Event{At: morning, Type: monitoring.FXPublished, Severity: monitoring.Low,
			Source: monitoring.EventSource{Name: "bnr"}}
		for i, step := range []struct {
			day     ro.Date
			changed bool
		}{{10, false}, {10, false}, {11, true}, {11, false}, {9, false}, {12, true}} {
			if changed, err := db.Publish(ctx, "bnr", step.day, fixing); err != nil || changed != step.changed {
				t.Errorf("step %d: event written: %t, %v", i, changed, err)
			}
		}

		for account, want := range map[string]int{"a": 2, "b": 0, "c": 2, "d": 0} {
			p, err := db.Feed(ctx, account, monitoring.EventCursor{}, monitoring.EventFilter{}, 10)
			if err != nil || len(p.Events) != want {
				t.Errorf("account %s has %d events, %v, want %d", account, len(p.Events), err, want)
			}

			for _, e := range p.Events {
				if e.Data.TaxID != nil || e.Data.Watchlist != nil || e.Type != monitoring.FXPublished {
					t.Errorf("got the event %+v", e)
				}
			}
		}

		if queued := db.queued(t, 1); len(queued) != 1 {
			t.Errorf("deliveries: %q", queued)
		}
	})
}
