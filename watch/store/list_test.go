package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/watch"
)

// newList returns a watch-list of an account with a unique name.
func newList(account, name string) watch.List {
	return watch.List{
		ID: "wl_" + name, Account: account, Name: name, Events: monitoring.DefaultEvents, Digest: monitoring.NoDigest,
		Language: monitoring.BothLanguages, Every: monitoring.EveryDay,
		FeedHash: "wlf_" + name, CreatedAt: time.Date(2026, 11, 1, 2, 3, 4, 0, time.UTC),
		DigestAt: time.Date(2026, 11, 2, 6, 0, 0, 0, time.UTC),
	}
}

func added(t *testing.T, db *DB, account, name string) *watch.List {
	t.Helper()
	l := testkit.Must(db.AddList(t.Context(), newList(account, name), 20))
	return &l
}

func TestWatchlists(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		first, second := added(t, db, "a", "first"), added(t, db, "a", "second")
		added(t, db, "b", "third")

		all, err := db.Lists(ctx, "a")
		if err != nil || len(all) != 2 || all[0] != *first || all[1] != *second {
			t.Errorf("the lists are %+v, %v", all, err)
		}

		for id, want := range map[monitoring.WatchlistID]string{"default": "first", "wl_second": "second"} {
			if l, err := db.List(ctx, "a", id); err != nil || l.Name != want {
				t.Errorf("%s is %+v, %v", id, l, err)
			}
		}

		for _, account := range []string{"b", "c"} {
			if _, err := db.List(ctx, account, "wl_first"); !errors.Is(err, op.ErrUnknown) {
				t.Errorf("the list of another account: %v", err)
			}
		}

		if l, err := db.ListOfFeed(ctx, "wlf_second"); err != nil || l.ID != "wl_second" {
			t.Errorf("by its token: %+v, %v", l, err)
		}

		for id, want := range map[string]string{"wl_first": "a", "wl_third": "b"} {
			if l, err := db.ListOfAnyone(ctx, id); err != nil || l.Account != want {
				t.Errorf("whoever's it is: %+v, %v", l, err)
			}
		}

		changed, err := db.ChangeList(ctx, "a", "wl_second", func(l *watch.List) {
			l.Name, l.FeedHash, l.Language = "renamed", "wlf_new", monitoring.RomanianDigest
		})
		if err != nil || changed.Name != "renamed" || !changed.DigestAt.Equal(second.DigestAt) {
			t.Errorf("changed: %+v, %v", changed, err)
		}
		if l, err := db.List(ctx, "a", "wl_second"); err != nil || l.Language != monitoring.RomanianDigest {
			t.Errorf("stored: %+v, %v", l, err)
		}
		if _, err := db.ListOfFeed(ctx, "wlf_second"); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("by the previous token: %v", err)
		}
		testkit.NoError(t, db.DeleteList(ctx, "b", "wl_third"))
		for _, id := range []string{"wl_third", "default"} {
			if _, err := db.ListOfAnyone(ctx, id); !errors.Is(err, op.ErrUnknown) {
				t.Errorf("%s of anyone: %v", id, err)
			}
		}
		if err := db.DeleteList(ctx, "b", "wl_second"); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("deleted by another account: %v", err)
		}
		testkit.NoError(t, db.DeleteList(ctx, "a", "default"))
		if l, err := db.List(ctx, "a", "default"); err != nil || l.Name != "renamed" {
			t.Errorf("the default after the first was deleted: %+v, %v", l, err)
		}
	})
}

func TestListsOfAccountAreBounded(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		var adding sync.WaitGroup
		var mu sync.Mutex
		full := 0
		for i := range 12 {
			adding.Go(func() {
				_, err := db.AddList(t.Context(), newList("a", fmt.Sprint(i)), 5)
				if err != nil && strings.Contains(err.Error(), "has 5 watch-lists") {
					mu.Lock()
					defer mu.Unlock()
					full++
				} else if err != nil {
					t.Error(err)
				}
			})
		}

		adding.Wait()
		if all, err := db.Lists(t.Context(), "a"); len(all) != 5 || full != 7 || err != nil {
			t.Errorf("%d lists, %d refused, %v", len(all), full, err)
		}
		if l, err := db.AddList(t.Context(), newList("a", "default"), 0); err != nil || l.Name == "default" {
			t.Errorf("the default list of an account that has some: %+v, %v", l, err)
		}
	})
}

func TestOrders(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		l := added(t, db, "a", "list")
		now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
		watchAll := func(replace bool, companies ...monitoring.WatchedReference) (changes []monitoring.WatchChange,
			removed []ro.CUI) {
			t.Helper()
			order := monitoring.WatchOrder{Companies: companies, Replace: replace}
			would := testkit.Must(db.Compare(t.Context(), l, order))
			diff := testkit.Must(db.Watch(t.Context(), l, order, 100, now))
			if !slices.Equal(would.Changes, diff.Changes) || len(would.Removed) != len(diff.Removed) {
				t.Errorf("Compare announced %+v, but Watch changed %+v", would, diff)
			}

			return diff.Changes, diff.Removed
		}

		changes, _ := watchAll(false, monitoring.WatchedReference{Company: 1, Reference: "S-1"},
			monitoring.WatchedReference{Company: 2})
		if !slices.Equal(changes, []monitoring.WatchChange{monitoring.WatchAdded, monitoring.WatchAdded}) {
			t.Errorf("at first: %s", changes)
		}

		changes, _ = watchAll(false, monitoring.WatchedReference{Company: 2, Reference: "S-2"},
			monitoring.WatchedReference{Company: 1}, monitoring.WatchedReference{Company: 3})
		if !slices.Equal(changes, []monitoring.WatchChange{monitoring.WatchUpdated, monitoring.WatchUnchanged,
			monitoring.WatchAdded}) {
			t.Errorf("then: %s", changes)
		}

		changes, removed := watchAll(true, monitoring.WatchedReference{Company: 1},
			monitoring.WatchedReference{Company: 4})
		slices.Sort(removed)
		if !slices.Equal(changes, []monitoring.WatchChange{monitoring.WatchUnchanged, monitoring.WatchAdded}) ||
			!slices.Equal(removed, []ro.CUI{2, 3}) {
			t.Errorf("replaced: %s, removed %d", changes, removed)
		}

		testkit.NoError(t, database.Exec(t.Context(), db.Writer,
			`INSERT INTO looked (company, at, statuses, missing_since) VALUES (4, $1, 130, $1)`,
			now.UnixMilli()))

		testkit.Must(db.MarkPaid(t.Context(), "a", []ro.CUI{4}, 202611, nil))

		latest := event(4)
		addEvents(t, db, event(4), latest, event(5))
		want := []watch.Company{{Company: 1, Reference: "S-1", AddedAt: now},
			{Company: 4, AddedAt: now, EventAt: latest.At, LookedAt: now, Missing: true, Paid: 202611,
				Statuses: 130}}
		if companies, err := db.Watched(t.Context(), l, 10, 0); err != nil || !slices.Equal(companies, want) {
			t.Errorf("watched: %+v, %v", companies, err)
		}
		if events, err := db.Newest(t.Context(), l, 2); err != nil || len(events) != 2 ||
			events[0].ID != watch.EventID(2, l.Ordinal) || events[1].ID != watch.EventID(1, l.Ordinal) {
			t.Errorf("the newest events: %+v, %v", events, err)
		}
		if companies, err := db.Watched(t.Context(), l, 1, 1); err != nil || !slices.Equal(companies, want[1:]) {
			t.Errorf("the second page: %+v, %v", companies, err)
		}

		for range 2 {
			testkit.NoError(t, db.Unwatch(t.Context(), l, 4))
		}

		if now, err := db.List(t.Context(), "a", "default"); err != nil || now.Companies != 1 {
			t.Errorf("%d companies are left, %v", now.Companies, err)
		}
	})
}

func TestCompaniesOfListAreBounded(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		l := added(t, db, "a", "list")
		var watching sync.WaitGroup
		var mu sync.Mutex
		full := 0
		for i := range 10 {
			watching.Go(func() {
				order := monitoring.WatchOrder{Companies: []monitoring.WatchedReference{{Company: ro.CUI(i)},
					{Company: ro.CUI(100 + i)}}}
				_, err := db.Watch(t.Context(), l, order, 7, time.Now())
				if err != nil && strings.Contains(err.Error(), "would have 8 companies, more than the maximum of 7") {
					mu.Lock()
					defer mu.Unlock()
					full++
				} else if err != nil {
					t.Error(err)
				}
			})
		}

		watching.Wait()
		if l, err := db.List(t.Context(), "a", "default"); l.Companies != 6 || full != 7 || err != nil {
			t.Errorf("%d companies, %d refused, %v", l.Companies, full, err)
		}
	})
}

// The secrets of feeds that an earlier release stored unhashed keep working, and are then stored hashed.
func TestPlainSecretsOfFeedsAreHashed(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		added(t, db, "a", "first")
		added(t, db, "a", "second")
		hash := func(secret string) string { return "hash of " + secret }
		for range 2 { // the second time, there is nothing to do
			testkit.NoError(t, db.HashFeeds(ctx, hash))
		}

		if l, err := db.ListOfFeed(ctx, hash("wlf_second")); err != nil || l.ID != "wl_second" {
			t.Errorf("by the hash: %+v, %v", l, err)
		}
		if _, err := db.ListOfFeed(ctx, "wlf_second"); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("by the secret itself: %v", err)
		}
	})
}

func TestSubscribableResources(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_first", "ours")
		db.list(t, 2, "wl_second", "ours")
		db.list(t, 3, "wl_theirs", "theirs")
		db.exec(t, `INSERT INTO watched (list, company, account, added_at) VALUES (2, 9900000010, 'ours', 0)`)

		for named, want := range map[string]string{"default": "wl_first", "wl_second": "wl_second",
			"wl_theirs": "", "": ""} {
			if id, err := db.WatchlistID(t.Context(), "ours", named); id != want || err != nil {
				t.Errorf("%q is %q, %v", named, id, err)
			}
		}

		if id, err := db.WatchlistID(t.Context(), "nobody", "default"); id != "" || err != nil {
			t.Errorf("an account without watch-lists has %q, %v", id, err)
		}

		for account, want := range map[string]bool{"ours": true, "theirs": false} {
			if watched, err := db.Watches(t.Context(), account, 9900000010); watched != want || err != nil {
				t.Errorf("%s: %t, %v", account, watched, err)
			}
		}
	})
}
