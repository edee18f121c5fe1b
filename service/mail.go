package service

import (
	"crypto/sha256"
	netmail "net/mail"

	"github.com/rodata/rodata/account/mail"
)

// outboxKey identifies a shared outbox: configurations with equal keys share one.
type outboxKey struct {
	place  string // of the store
	server mail.Server
	from   netmail.Address
	print  bool
	secret [sha256.Size]byte
}

// openMail opens the store's outbox, and the inbox for messages to the operators.
func (s *Service) openMail(c *Config) (err error) {
	o := mail.Options{
		Store: s.store, Secret: s.secret, Server: c.Mail.Server(), From: c.Mail.Sender(), Logger: s.live,
	}
	if c.Environment == "sandbox" {
		o.Print = c.PrintMail
		if o.Print == nil {
			o.Print = mail.PrintTo(o.Logger)
		}
	}

	key := outboxKey{
		place: c.Store.Location(c.DataDir), server: o.Server, print: o.Print != nil, secret: sha256.Sum256(s.secret),
	}
	if o.From != nil {
		key.from = *o.From
	}

	s.outbox, err = share(&s.shares, "the outbox", key, func() (*mail.Outbox, error) { return mail.Open(o) })
	if err != nil {
		return err
	}

	s.outboxKey = key
	s.inbox = &mail.Inbox{Store: s.store, Outbox: s.outbox, To: c.Mail.ContactTo, Logger: c.Logger}
	return nil
}
