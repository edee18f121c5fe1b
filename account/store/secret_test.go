package store

import (
	"strings"
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
		if err == nil || !strings.Contains(err.Error(), `restore the file "secret"`) {
			t.Errorf("got %v", err)
		}
	})
}
