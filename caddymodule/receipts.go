package caddymodule

import (
	"context"
	"log/slog"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/history/receipt"
)

// openReceipts opens the issuer of receipts, in the store of observations.
func (s *service) openReceipts(a *App, observed sharedHistory) error {
	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return err
	}

	s.receipts, err = receipt.Open(context.Background(), receipt.Options{
		Store: s.history, Issued: observed.issued, Secret: secret, BaseURL: a.BaseURL, Logger: slog.New(liveLog{}),
	})
	return err
}
