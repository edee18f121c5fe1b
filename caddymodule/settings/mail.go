package settings

import (
	"errors"
	netmail "net/mail"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/caddymodule/internal/option"
)

// Mail configures outgoing mail. Placeholders are resolved.
type Mail struct {
	// SMTP is the mail server: smtp://user:password@mail.example.ro:587, which must support STARTTLS; smtps:// with
	// implicit TLS, port 465; or smtp:// and a loopback address, unencrypted. Give it as a placeholder,
	// {env.RODATA_SMTP_URL} or {file./run/secrets/smtp}, so that the configuration does not show the password. Default:
	// none. Then no mail is sent; the sandbox environment prints or logs mails instead.
	SMTP string `json:"smtp,omitempty"`
	// From is the sender of mails, with or without a name: Registry Desk <desk@example.ro>. Required with a server.
	From string `json:"from,omitempty"`
	// ContactTo is the address that receives messages to the operators. Default: they are only stored.
	ContactTo string `json:"contact_to,omitempty"`
}

// rows are the rows of the block in a Caddyfile. Errors do not contain the server's address, which may have a password.
func (m *Mail) rows() option.Table {
	return option.Table{
		"smtp":       option.Secret(&m.SMTP, checkServer),
		"from":       option.Text(&m.From, checkSender),
		"contact_to": option.Text(&m.ContactTo, mail.CheckAddress),
	}
}

func checkServer(address string) error {
	_, err := mail.ParseServer(address)
	return err
}

func checkSender(text string) error {
	_, err := mail.ParseSender(text)
	return err
}

// Server returns the mail server; the zero value if there is none.
func (m *Mail) Server() mail.Server {
	server, _ := mail.ParseServer(m.SMTP) // has been checked
	return server
}

// Sender returns the sender's address; nil if there is none.
func (m *Mail) Sender() *netmail.Address {
	sender, _ := mail.ParseSender(m.From) // has been checked
	return sender
}

// validate rejects settings that name a sender or recipient but no server, and the reverse.
func (m *Mail) validate(environment string) error {
	switch none := m.SMTP == ""; {
	case !none && m.From == "":
		return errors.New("from is missing: set the sender of mails (RODATA_MAIL_FROM)")
	case none && environment != "sandbox" && (m.From != "" || m.ContactTo != ""):
		return errors.New("from or contact_to is set without a server: set smtp (RODATA_SMTP_URL), or leave them out " +
			"too")
	}

	return nil
}
