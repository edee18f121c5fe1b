package store

import (
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

func TestUserOfAccount(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		imported := testkit.Must(db.ImportUser(ctx, account.User{Email: "ana@example.ro", Name: "Ana Exemplu"}, "",
			"free"))
		testkit.Equal(t, testkit.Must(db.UserOfAccount(ctx, imported.Account)), imported)
		testkit.NoError(t, db.DeleteUser(ctx, imported))
		testkit.NoError(t, db.CreateAccount(ctx, account.Account{ID: "nobody's", Plan: "free",
			CreatedAt: time.Now()}))

		for name, id := range map[string]string{"deleted": imported.Account, "opened without one": "nobody's",
			"unknown": "none"} {
			testkit.ErrorIs(t, testkit.Err(db.UserOfAccount(ctx, id)), account.ErrNoUser, name)
		}
	})
}

func TestImportRefusesForeignHashes(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		for name, hash := range map[string]string{"clear text": "parola", "bcrypt": "$2b$10$abcdefghijklmnopqrstuv",
			"cut": "0a0b:0c0d"} {
			testkit.ErrorIs(t,
				testkit.Err(db.ImportUser(t.Context(), account.User{Email: "ana@example.ro"}, hash, "free")),
				account.ErrForeignHash, name)
		}
	})
}
