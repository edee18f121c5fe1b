package caddymodule

import (
	"crypto/sha256"
	"log/slog"
	netmail "net/mail"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
)

// sharedOutbox is an open outbox among what is shared.
type sharedOutbox struct{ *mail.Outbox }

// outboxKey names an outbox: configurations that agree in all of this share one.
type outboxKey struct {
	place  string // of the store
	server mail.Server
	from   netmail.Address
	print  bool
	secret [sha256.Size]byte
}

// Destruct ends the sending.
func (o sharedOutbox) Destruct() error { return o.Close() }

// openMail opens the outbox of the store, and the desk.
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
	key := outboxKey{place: a.Store.Place(a.DataDir), server: o.Server, print: o.Print != nil, secret: sha256.Sum256(secret)}
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
	s.outbox = shared.Outbox
	s.desk = &mail.Desk{Store: s.store, Outbox: s.outbox, To: a.Mail.ContactTo, Logger: a.logger}
	return nil
}
