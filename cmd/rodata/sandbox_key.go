package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
)

const (
	sandboxPlan    = "pro"
	sandboxKeyFile = "sandbox-key" // in the data directory
)

// sandboxKey returns an API key of the sandbox's account: the existing one in the data directory, or a new one. The
// gateway must not be running.
func sandboxKey(ctx context.Context, dataDir string) (key string, err error) {
	secret, err := account.LoadSecret(strings.TrimRight(os.Getenv("RODATA_SECRET"), "\r\n"), dataDir)
	if err != nil {
		return "", err
	}

	db, err := store.Open(ctx, filepath.Join(dataDir, "accounts.db"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	keys := account.NewDirectory(db, secret, account.DefaultPrefix)
	file := filepath.Join(dataDir, sandboxKeyFile)
	if kept, err := os.ReadFile(file); err == nil {
		if _, err := keys.Key(ctx, string(kept)); err == nil {
			return string(kept), nil
		}
	}

	owner := account.Account{ID: account.NewID(), Plan: sandboxPlan, CreatedAt: time.Now()}
	if err := db.CreateAccount(ctx, owner); err != nil {
		return "", err
	}
	if _, key, err = keys.Issue(ctx, account.Key{Account: owner.ID, Name: "sandbox"}); err != nil {
		return "", fmt.Errorf("making a key for the sandbox: %w", err)
	}

	return key, os.WriteFile(file, []byte(key), 0o600)
}
