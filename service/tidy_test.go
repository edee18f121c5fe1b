package service

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/monitoring"
	historystore "github.com/rodata/rodata/history/store"
	jobstore "github.com/rodata/rodata/jobs/store"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/watch"
	watchstore "github.com/rodata/rodata/watch/store"
)

// emptyWatch returns an empty store of watch-lists.
func emptyWatch(t *testing.T) *watchstore.DB {
	t.Helper()
	observations := databases.Open(t, filepath.Join(t.TempDir(), "history.db"), historystore.Open)
	db, err := watchstore.Open(t.Context(), observations)
	testkit.NoError(t, err)
	return db
}

// withWatchlists returns a service with empty stores of accounts, of watch-lists and of jobs.
func withWatchlists(t *testing.T) *Service {
	return &Service{live: quiet, Store: accountstore.Open(t), watching: &sharedWatch{store: emptyWatch(t)},
		jobStore: databases.Open(t, filepath.Join(t.TempDir(), "jobs.db"), jobstore.Open)}
}

func TestClosedAccountsLoseTheirWatchlists(t *testing.T) {
	ctx := t.Context()
	s := withWatchlists(t)
	db := s.watching.store
	lists := &watch.Lists{Store: db, Hash: func(secret string) string { return secret }}
	ids := []string{"open", "closed", "also open"}
	for _, id := range ids {
		testkit.NoError(t, s.Store.CreateAccount(ctx, account.Account{ID: id, Plan: "free", CreatedAt: time.Now()}))
	}

	for _, id := range append(ids, "unknown") {
		if _, err := lists.CreateWatchlist(ctx, id, monitoring.WatchlistChange{Name: "Suppliers"}); err != nil {
			t.Fatal(err)
		}
	}

	testkit.NoError(t, s.Store.CloseAccount(ctx, "closed"))
	testkit.NoError(t, s.sweepDisowned(ctx, time.Now()))
	if left, err := db.Accounts(ctx, "", 10); err != nil ||
		!slices.Equal(left, []string{"also open", "open", "unknown"}) {
		t.Errorf("left are %q, %v", left, err)
	}
}

// A webhook, and the address of a feed, end with the key that set them up: when it is revoked, and when it expires.
func TestWebhooksAndFeedsEndWithTheirKeys(t *testing.T) {
	ctx, now := t.Context(), time.Now()
	s := withWatchlists(t)
	db := s.watching.store
	testkit.NoError(t, s.Store.CreateAccount(ctx, account.Account{ID: "acc", Plan: "free", CreatedAt: now}))
	lists := &watch.Lists{Store: db, Hash: func(secret string) string { return secret }}
	feeds := map[string]string{}
	for id, end := range map[string]time.Time{"expired": now.Add(-time.Second), "valid": now.Add(time.Hour),
		"permanent": {}, "revoked": {}} {
		testkit.NoError(t, s.Store.CreateKey(ctx, account.Key{ID: id, Account: "acc", CreatedAt: now, ExpiresAt: end},
			[]byte(id)))
		list := testkit.Must(lists.CreateWatchlist(ctx, "acc", monitoring.WatchlistChange{Key: id}))
		feeds[id] = strings.Split(list.Feeds.Atom, "/")[3]
		testkit.NoError(t, db.AddWebhook(ctx, watchstore.Webhook{ID: id, Account: "acc", Key: id, Secrets: []byte{},
			CreatedAt: now}, 20))
	}

	testkit.NoError(t, s.Store.RevokeKey(ctx, "acc", "revoked", ""))
	testkit.NoError(t, s.sweepDisowned(ctx, now))
	for id, reason := range map[string]string{"expired": watchstore.KeyRevoked, "revoked": watchstore.KeyRevoked,
		"valid": "", "permanent": ""} {
		testkit.Equal(t, testkit.Must(db.Webhook(ctx, "acc", id)).Disabled, reason, id)
		_, err := db.ListOfFeed(ctx, feeds[id])
		testkit.Equal(t, errors.Is(err, op.ErrUnknown), reason != "", id+": the feed ended")
	}
}

func TestPaymentsOutliveTheirMonthByADay(t *testing.T) {
	ctx := t.Context()
	s := withWatchlists(t)
	db := s.watching.store

	december := time.Date(2026, 12, 1, 0, 30, 0, 0, time.UTC)
	for at, due := range map[time.Duration]int{0: 0, clockSkew: 1} {
		if _, err := db.MarkPaid(ctx, "a", []ro.CUI{9900000001}, 202611, nil); err != nil {
			t.Fatal(err)
		}
		testkit.NoError(t, s.sweepDisowned(ctx, december.Add(at)))

		again, err := db.MarkPaid(ctx, "a", []ro.CUI{9900000001}, 202611, nil)
		if err != nil || len(again) != due {
			t.Errorf("%s into December, %d companies are due for November, %v, want %d", at, len(again), err, due)
		}
	}
}
