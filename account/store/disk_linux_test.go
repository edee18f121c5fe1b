package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

// smallDisk returns a file system of 2 MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("mounting a small file system is not allowed here, as it is to root: %v", err)
	}

	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// On a full disk writes fail and existing data stays readable; writes work again once there is space.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "accounts.db")
	db := open(t, path)
	d := account.NewDirectory(db, pepper, account.DefaultPrefix)
	secret := issue(t, db, d, account.Key{ID: "key-1"})
	filler := filepath.Join(dir, "filler")
	file, err := os.Create(filler)
	for block := make([]byte, 4096); err == nil; {
		_, err = file.Write(block)
	}
	if file.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}

	var made []string
	create := func() error {
		id := account.NewID()
		err := db.CreateAccount(t.Context(), account.Account{ID: id, Plan: "free"})
		if err == nil {
			made = append(made, id)
		}

		return err
	}
	for err = nil; err == nil && len(made) < 10_000; {
		err = create()
	}
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("with a full disk: got %v after %d accounts", err, len(made))
	}
	if _, err := d.Key(t.Context(), secret); err != nil {
		t.Errorf("with a full disk, reading: got %v", err)
	}

	testkit.NoError(t, os.Remove(filler))
	if err := create(); err != nil {
		t.Errorf("with space again: got %v", err)
	}
	testkit.NoError(t, db.Close())

	db = open(t, path)
	checkIntegrity(t, db)
	for _, id := range made {
		if _, err := db.Account(t.Context(), id); err != nil {
			t.Errorf("account %s is lost: %v", id, err)
		}
	}
}

// A read-only disk refuses changes, and a store on it cannot be opened.
func TestReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "accounts.db")
	db := open(t, path)
	issue(t, db, account.NewDirectory(db, pepper, account.DefaultPrefix), account.Key{ID: "key-1"})
	testkit.NoError(t, db.Close())
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("making a file system read-only is not allowed here: %v", err)
	}
	if _, err := OpenSQLite(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) ||
		!strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v, want an error that names the file and the cause", err)
	}
	testkit.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT, ""))

	db = open(t, path)
	checkIntegrity(t, db)
	if got := ids(t, db, "acc-1"); len(got) != 1 {
		t.Errorf("the keys are %v", got)
	}
}
