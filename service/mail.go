package service

import (
	"github.com/rodata/rodata/account/mail"
)

// openMail opens the store's outbox, and the inbox for messages to the operators.
func (s *Service) openMail(c *Config) error {
	o := mail.Options{
		Store: s.Store, Secret: s.secret, Server: c.Mail.Server(), From: c.Mail.Sender(), Logger: s.live,
	}
	if c.Environment == "sandbox" {
		o.Print = c.PrintMail
		if o.Print == nil {
			o.Print = mail.PrintTo(o.Logger)
		}
	}

	key := [...]any{s.Store, c.Mail.SMTP, c.Mail.From, o.Print != nil, string(s.secret)}
	if err := share(&s.shares, &s.outbox, "the outbox", key,
		func() (*mail.Outbox, error) { return mail.Open(o) }); err != nil {
		return err
	}

	s.inbox = &mail.Inbox{Store: s.Store, Outbox: s.outbox, To: c.Mail.ContactTo, Logger: c.Logger}
	return nil
}
