package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

// TestAnotherSecretIsRejected verifies that a store accepts only the secret with which it was first opened.
func TestAnotherSecretIsRejected(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		first, other := account.SecretFingerprint([]byte("an invented secret")), account.SecretFingerprint(nil)
		for range 2 {
			testkit.NoError(t, db.CheckSecret(t.Context(), first))
		}

		err := db.CheckSecret(t.Context(), other)
		testkit.ErrorSays(t, err, `restore the file "secret"`)
	})
}
func TestNoSecretOnDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "rodata.db"))
	d := account.NewDirectory(s, pepper, account.DefaultPrefix)
	secret := issue(t, s, d, account.Key{ID: "key-1"})
	search := func(when string) {
		found := false
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			content := testkit.Must(os.ReadFile(filepath.Join(dir, entry.Name())))
			found = found || bytes.Contains(content, []byte("key-1"))
			random := []byte(secret[len(account.DefaultPrefix)+4 : len(secret)-4])
			if bytes.Contains(content, random) || bytes.Contains(content, pepper) {
				t.Errorf("%s: %s contains a secret", when, entry.Name())
			}
		}

		if !found {
			t.Errorf("%s: the search did not even find the key's id", when)
		}
	}
	search("while open") // also the write-ahead log
	s.Close()
	search("when closed")
}
