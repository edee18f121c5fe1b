package mail

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
)

// Message is one mail to one person.
type Message struct {
	// To is the address that it goes to: user@host in ASCII. Required.
	To string
	// ReplyTo is the address that answers go to; empty means the sender's.
	ReplyTo string
	// Subject is one line. Required.
	Subject string
	// Text is the mail as plain text. Required.
	Text string
	// HTML is the same with markup; empty means that there is none.
	HTML string
	// ID names the mail: a second one with the ID of an earlier one, within 30
	// days, is not sent. It is stored and logged as it is, so nothing personal or
	// secret belongs into it. Required.
	ID string
}

// Bounds of a mail, in bytes.
const (
	maxID      = 200
	maxAddress = 254 // RFC 5321, section 4.5.3.1.3
	maxLine    = 500
	maxBody    = 256 << 10
)

// checked is the message with a subject that is fit for a header. What a header or a
// command of SMTP cannot hold is refused in addresses, and becomes a space in
// texts: so nothing that anybody writes can begin a header of its own.
func (m Message) checked() (Message, error) {
	m.Subject = oneLine(m.Subject)
	switch {
	case m.ID == "" || len(m.ID) > maxID:
		return m, fmt.Errorf("a mail needs an ID of at most %d bytes", maxID)
	case m.Subject == "" || m.Text == "":
		return m, errors.New("a mail needs a subject and a text")
	case len(m.Subject) > maxLine || len(m.Text)+len(m.HTML) > maxBody:
		return m, errors.New("the mail is too large")
	case !isAddress(m.To):
		return m, errors.New("a mail needs the address of whoever it goes to, as ana@example.ro")
	case m.ReplyTo != "" && !isAddress(m.ReplyTo):
		return m, errors.New("the address for answers is not one, as ana@example.ro")
	}
	return m, nil
}

// oneLine is a text without anything that does not print; what stands in its
// place is a space.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return ' '
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// isAddress reports whether a text is an address and nothing else. Addresses
// beyond ASCII need an extension (SMTPUTF8) that many servers do not have.
func isAddress(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	parsed, err := netmail.ParseAddress(text)
	return err == nil && parsed.Address == text && len(text) <= maxAddress
}

// ParseSender reads the address that mails come from, which may have a name:
// Registry Desk <desk@example.ro>.
func ParseSender(text string) (*netmail.Address, error) {
	sender, err := netmail.ParseAddress(text)
	if err != nil || !isAddress(sender.Address) || sender.Name != oneLine(sender.Name) {
		return nil, fmt.Errorf("%q is not an address, as desk@example.ro or Registry Desk <desk@example.ro>", text)
	}
	return sender, nil
}

// CheckAddress says what is wrong with the address of whoever is to get mail.
func CheckAddress(text string) error {
	if !isAddress(text) {
		return fmt.Errorf("%q is not an address, as desk@example.ro", text)
	}
	return nil
}

// compose makes the mail as it travels: the texts in UTF-8, encoded so that every
// server passes them on, and no word of the program that sends it.
func (m Message) compose(from *netmail.Address, now time.Time) *gomail.Msg {
	mail := gomail.NewMsg(gomail.WithCharset(gomail.CharsetUTF8), gomail.WithEncoding(gomail.EncodingQP), gomail.WithNoDefaultUserAgent())
	mail.FromMailAddress(from)
	mail.ToMailAddress(&netmail.Address{Address: m.To})
	if m.ReplyTo != "" {
		mail.ReplyToMailAddress(&netmail.Address{Address: m.ReplyTo})
	}
	mail.Subject(m.Subject)
	mail.SetDateWithValue(now)
	mail.SetMessageIDWithValue(m.messageID(from))
	mail.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no answer by a machine
	mail.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		mail.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return mail
}

// messageID is the same for every try, so that a mail that was sent and not
// noted as sent is recognised when it comes again.
func (m Message) messageID(from *netmail.Address) string {
	sum := sha256.Sum256([]byte(m.ID))
	return hex.EncodeToString(sum[:16]) + "@" + domain(from)
}

// domain is the part of an address behind the @.
func domain(address *netmail.Address) string {
	return address.Address[strings.LastIndexByte(address.Address, '@')+1:]
}
