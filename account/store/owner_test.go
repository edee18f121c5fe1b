package store

import (
	"errors"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

func TestUserOfAccount(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		imported, err := db.ImportUser(ctx, account.User{Email: "ana@example.ro", Name: "Ana Exemplu"}, "", "free")
		testkit.NoError(t, err)
		if found, err := db.UserOfAccount(ctx, imported.Account); err != nil || found != imported {
			t.Errorf("got %+v, %v\nwant %+v", found, err, imported)
		}
		testkit.NoError(t, db.DeleteUser(ctx, imported))
		testkit.NoError(t, db.CreateAccount(ctx, account.Account{ID: "nobody's", Plan: "free",
			CreatedAt: time.Now()}))

		for name, id := range map[string]string{"deleted": imported.Account, "opened without one": "nobody's",
			"unknown": "none"} {
			if found, err := db.UserOfAccount(ctx, id); !errors.Is(err, account.ErrNoUser) {
				t.Errorf("%s: got %+v, %v", name, found, err)
			}
		}
	})
}

func TestImportRefusesForeignHashes(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		for name, hash := range map[string]string{"clear text": "parola", "bcrypt": "$2b$10$abcdefghijklmnopqrstuv",
			"cut": "0a0b:0c0d"} {
			if _, err := db.ImportUser(t.Context(), account.User{Email: "ana@example.ro"}, hash,
				"free"); !errors.Is(err, account.ErrForeignHash) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}
