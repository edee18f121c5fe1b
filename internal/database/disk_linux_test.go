package database

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

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
		testkit.NoError(t, syscall.Unmount(dir, 0))
	})
	return dir
}

// On a full disk writes fail and existing data stays readable; writes work again once there is space.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "accounts.db")
	db := open(t, path)
	testkit.NoError(t, note(t.Context(), db, "first"))
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
		id := strings.Repeat("x", 100) + strconv.Itoa(len(made))
		err := note(t.Context(), db, id)
		if err == nil {
			made = append(made, id)
		}

		return err
	}
	for err = nil; err == nil && len(made) < 10_000; {
		err = create()
	}
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("with a full disk: got %v after %d notes", err, len(made))
	}
	testkit.Equal(t, len(notes(t, db)), 1+len(made), "notes read with a full disk")

	testkit.NoError(t, os.Remove(filler))
	testkit.NoError(t, create(), "with space again")
	testkit.NoError(t, db.Close())

	db = open(t, path)
	checkIntegrity(t, db)
	kept := notes(t, db)
	for _, id := range made {
		if !slices.Contains(kept, id) {
			t.Errorf("note %s is lost", id)
		}
	}
}

// A read-only disk refuses changes, and a store on it cannot be opened.
func TestReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "accounts.db")
	db := open(t, path)
	testkit.NoError(t, note(t.Context(), db, "first"))
	testkit.NoError(t, db.Close())
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("making a file system read-only is not allowed here: %v", err)
	}
	if _, err := openSchema(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) ||
		!strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v, want an error that names the file and the cause", err)
	}
	testkit.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT, ""))

	db = open(t, path)
	checkIntegrity(t, db)
	testkit.Equal(t, len(notes(t, db)), 1, "the notes")
}
