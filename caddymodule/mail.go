package caddymodule

import (
	"crypto/sha256"
	"log/slog"
	netmail "net/mail"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
)

// sharedOutbox is an open outbox that configurations share.
type sharedOutbox struct{ *mail.Outbox }

// outboxKey identifies a shared outbox: configurations with equal keys share one.
type outboxKey struct {
	place  string // of the store
	server mail.Server
	from   netmail.Address
	print  bool
	secret [sha256.Size]byte
}

// Destruct stops sending.
func (o sharedOutbox) Destruct() error { return o.Close() }

// openMail opens the store's outbox, and the inbox for messages to the operators.
func (s *service) openMail(a *App) error {
	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return err
	}

	o := mail.Options{
		Store: s.store, Secret: secret, Server: a.Mail.Server(), From: a.Mail.Sender(),
		Logger: slog.New(liveLog{}),
	}
	if a.Environment == "sandbox" {
		o.Print = Terminal.Mail
		if o.Print == nil {
			o.Print = mail.PrintTo(o.Logger)
		}
	}

	key := outboxKey{
		place: a.Store.Place(a.DataDir), server: o.Server, print: o.Print != nil, secret: sha256.Sum256(secret),
	}
	if o.From != nil {
		key.from = *o.From
	}

	shared, err := share(&s.shares, key, func() (sharedOutbox, error) {
		outbox, err := mail.Open(o)
		return sharedOutbox{outbox}, err
	})
	if err != nil {
		return err
	}

	s.outbox, s.outboxKey = shared.Outbox, key
	s.inbox = &mail.Inbox{Store: s.store, Outbox: s.outbox, To: a.Mail.ContactTo, Logger: a.logger}
	return nil
}
