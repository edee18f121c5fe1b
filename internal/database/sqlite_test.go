package database

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/process"
)

// Special characters in a file name are not interpreted.
func TestNameOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a?b#c 100%.db")
	open(t, path)
	testkit.NoError(t, testkit.Err(os.Stat(path)), "the file")
}

func TestDurability(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "rodata.db"))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1",
		"busy_timeout": "5000"} {
		var got string
		if err := s.Writer.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", pragma, got, want, err)
		}
	}
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes to check")
	}

	dir := filepath.Join(t.TempDir(), "data")
	open(t, filepath.Join(dir, "rodata.db"))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 3 {
		t.Fatalf("%v, %v", entries, err)
	}

	for _, entry := range entries {
		testkit.Equal(t, testkit.Must(entry.Info()).Mode().Perm(), 0o600, "%s has mode", entry.Name())
	}
}

func TestOneOwner(t *testing.T) {
	if path := os.Getenv("RODATA_TEST_OPEN"); path != "" { // in the second process
		_, err := Open(t.Context(), path, schema)
		fmt.Println("outcome:", err)
		return
	}

	path := filepath.Join(t.TempDir(), "rodata.db")
	elsewhere := func() string {
		t.Helper()
		p, outcome := process.StartUntilLine(t, process.Test(t, "TestOneOwner", "RODATA_TEST_OPEN="+path), "outcome: ")
		testkit.NoError(t, p.Wait())
		return outcome
	}

	s := open(t, path)
	if s2, err := Open(t.Context(), path, schema); err == nil {
		s2.Close()
		t.Error("the same process opened it twice")
	}

	outcome := elsewhere() // the failed attempt above must not have released the lock
	for _, part := range []string{path, "in use", "RODATA_DATA_DIR"} {
		testkit.Contains(t, outcome, part, "a second process")
	}

	testkit.NoError(t, s.Ping(t.Context()), "the owner's store")
	testkit.NoError(t, s.Close())
	testkit.Equal(t, elsewhere(), "<nil>", "after the owner closed it")

	open(t, path) // that process ended without closing it
}

func TestNotADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rodata.db")
	testkit.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("text "), 500), 0o600))
	testkit.ErrorSays(t, testkit.Err(Open(t.Context(), path, schema)), path)
}
