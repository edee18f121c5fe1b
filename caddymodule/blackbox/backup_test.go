package blackbox

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/proof"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/testkit"
)

// A backup of the accounts from a running gateway can be restored in their place.
func TestBackup(t *testing.T) {
	var admin gateway
	var accounts string
	want := account.Account{ID: account.NewID(), Plan: "free", CreatedAt: time.UnixMilli(1).UTC()}
	g := start(t, withAdmin(t, &admin), func(*gateway) {
		accounts = filepath.Join(os.Getenv("RODATA_DATA_DIR"), "accounts.db")
		withStore(t, accounts, func(db *store.DB) error { return db.CreateAccount(t.Context(), want) })
	})
	file := filepath.Join(t.TempDir(), "copy of accounts.db")
	path := "/rodata/backup?file=" + url.QueryEscape(file)
	var result struct {
		File  string
		Bytes int64
	}
	got := admin.do(t, "POST", path, request{})
	info, err := os.Stat(file)
	if err != nil || got.StatusCode != 200 || json.Unmarshal(got.body, &result) != nil || result.File != file ||
		result.Bytes != info.Size() {
		t.Fatalf("got %d %s, %v", got.StatusCode, got.body, err)
	}

	if again := admin.do(t, "POST", path, request{}); again.StatusCode != 409 {
		t.Errorf("once more: got %d %s", again.StatusCode, again.body)
	}

	testkit.NoError(t, caddy.Stop())

	for _, old := range []string{accounts, accounts + "-wal", accounts + "-shm"} {
		testkit.NoError(t, os.RemoveAll(old))
	}

	testkit.NoError(t, os.Rename(file, accounts))
	testkit.NoError(t, g.load())
	if got := admin.get(t, "/readyz"); got.StatusCode != 200 {
		t.Errorf("with the copy in place: got %d %s", got.StatusCode, got.body)
	}
	testkit.NoError(t, caddy.Stop())

	withStore(t, accounts, func(db *store.DB) error {
		if got, err := db.Account(t.Context(), want.ID); err != nil || got != want {
			t.Errorf("got %+v, %v", got, err)
		}
		return nil
	})
}

// withStore opens a file of accounts for the duration of a call.
func withStore(t *testing.T, path string, use func(*store.DB) error) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	testkit.NoError(t, err)
	defer db.Close()

	testkit.NoError(t, use(db))
}

// The backup of the observations and receipts opens like the store, with all of its data.
func TestBackupOfHistory(t *testing.T) {
	var admin gateway
	g := start(t, withAdmin(t, &admin))
	id, _ := g.get(t, companies(t)[12]+"/status?date=2020-12-05").object(t)["receipt"].(string)
	file := filepath.Join(t.TempDir(), "history.db")
	if got := admin.do(t, "POST", "/rodata/backup?store=history&file="+url.QueryEscape(file),
		request{}); got.StatusCode != 200 {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}

	db, err := historystore.Open(t.Context(), file)
	testkit.NoError(t, err)
	defer db.Close()

	if r, err := db.Receipt(t.Context(), proof.ReceiptID(id)); err != nil || string(r.ID) != id {
		t.Errorf("receipt %q: %+v, %v", id, r, err)
	}
	if keys, err := db.Keys(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("keys %v, %v", keys, err)
	}
}
