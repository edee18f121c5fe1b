package database

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// A backup made under load can be opened, and contains everything that existed when it began.
func TestBackup(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "accounts.db"))
	testkit.NoError(t, note(t.Context(), db, "before"))
	stop, written := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				written <- n
				return
			default:
				if err := note(t.Context(), db, fmt.Sprintf("busy-%06d", n)); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	dir := t.TempDir()
	for i := range 5 {
		path := filepath.Join(dir, fmt.Sprintf("copy '%d'.db", i))
		testkit.NoError(t, db.Backup(t.Context(), path))
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("the copy has mode %v (%v)", info.Mode(), err)
		}

		restored := open(t, path)
		if !slices.Contains(notes(t, restored), "before") {
			t.Error("the copy lacks what was written before it")
		}

		checkIntegrity(t, restored)
		testkit.NoError(t, note(t.Context(), restored, "after"))
	}

	close(stop)
	if n := <-written; n == 0 {
		t.Error("nothing was written meanwhile")
	}
}

func checkIntegrity(t testing.TB, db *DB) {
	t.Helper()
	var verdict string
	if err := db.Reader.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil ||
		verdict != "ok" {
		t.Errorf("integrity: %s (%v)", verdict, err)
	}
}

func TestBackupThatCannotBeMade(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "accounts.db"))
	taken := filepath.Join(dir, "taken")
	testkit.NoError(t, os.WriteFile(taken, []byte("precious"), 0o600))
	testkit.ErrorIs(t, db.Backup(t.Context(), taken), fs.ErrExist, "over a file")
	if kept, _ := os.ReadFile(taken); string(kept) != "precious" {
		t.Errorf("the file is now %q", kept)
	}
	testkit.ErrorIs(t, db.Backup(t.Context(), filepath.Join(dir, "no such", "copy")), fs.ErrNotExist, "into no folder")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	testkit.ErrorIs(t, db.Backup(ctx, filepath.Join(dir, "copy")), context.Canceled, "broken off")
	if left, _ := filepath.Glob(filepath.Join(dir, "copy*")); left != nil {
		t.Errorf("the files left behind are %v", left)
	}
}

func TestBackupOfPostgres(t *testing.T) {
	err := open(t, migrated.URL(t)).Backup(t.Context(), filepath.Join(t.TempDir(), "copy"))
	testkit.ErrorSays(t, err, "pg_dump")
}
