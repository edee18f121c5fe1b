package store

import "testing"

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
