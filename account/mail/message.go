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

// Message is a mail to one recipient.
type Message struct {
	// To is the recipient: user@host in ASCII. Required.
	To string
	// ReplyTo is the address for replies; empty means the sender's address.
	ReplyTo string
	// Subject is a single line. Required.
	Subject string
	// Text is the mail as plain text. Required.
	Text string
	// HTML is the same content as HTML. It is empty for a text-only mail.
	HTML string
	// Unsubscribe is the address at which a reader ends mails of this kind with one click (RFC 8058). It is empty for
	// mails that nobody subscribes to.
	Unsubscribe string
	// ID identifies the mail: another mail with the same ID within 30 days is not sent. It is stored and logged in
	// plain text, so it must not be personal or secret. Required.
	ID string
}

// Limits of a mail, in bytes.
const (
	maxID      = 200
	maxAddress = 254 // RFC 5321, section 4.5.3.1.3
	maxLine    = 500
	maxBody    = 256 << 10
)

// validate returns the message with its subject on one line, or the reason why it is invalid. Control characters are
// errors in addresses and become spaces in the subject, which prevents header injection.
func (m Message) validate() (Message, error) {
	m.Subject = oneLine(m.Subject)
	switch {
	case m.ID == "" || len(m.ID) > maxID:
		return m, fmt.Errorf("a mail needs an ID of at most %d bytes", maxID)
	case m.Subject == "" || m.Text == "":
		return m, errors.New("a mail needs a subject and a text")
	case len(m.Subject) > maxLine || len(m.Text)+len(m.HTML) > maxBody:
		return m, errors.New("the mail is too large")
	case !isAddress(m.To):
		return m, errors.New("a mail needs a recipient, such as ana@example.ro")
	case strings.ContainsFunc(m.Unsubscribe, func(r rune) bool { return r <= ' ' || r > '~' || r == '>' }):
		return m, errors.New("the address to unsubscribe is not a URL")
	case m.ReplyTo != "" && !isAddress(m.ReplyTo):
		return m, errors.New("the address for replies is not an address such as ana@example.ro")
	}

	return m, nil
}

// oneLine replaces runs of unprintable characters with a single space.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return ' '
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// isAddress reports whether a text is a bare address. Non-ASCII addresses need an extension (SMTPUTF8) that many
// servers lack.
func isAddress(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}

	parsed, err := netmail.ParseAddress(text)
	return err == nil && parsed.Address == text && len(text) <= maxAddress
}

// ParseSender reads a sender's address, which may have a name: Registry Desk <desk@example.ro>.
func ParseSender(text string) (*netmail.Address, error) {
	sender, err := netmail.ParseAddress(text)
	if err != nil || !isAddress(sender.Address) || sender.Name != oneLine(sender.Name) {
		return nil, fmt.Errorf("%q is not an address such as desk@example.ro or Registry Desk <desk@example.ro>", text)
	}
	return sender, nil
}

// CheckAddress returns an error for an invalid recipient.
func CheckAddress(text string) error {
	if !isAddress(text) {
		return fmt.Errorf("%q is not an address such as desk@example.ro", text)
	}
	return nil
}

// compose builds the MIME message: UTF-8 in quoted-printable, which every server accepts, and no User-Agent.
func (m Message) compose(from *netmail.Address, now time.Time) *gomail.Msg {
	mail := gomail.NewMsg(gomail.WithCharset(gomail.CharsetUTF8), gomail.WithEncoding(gomail.EncodingQP),
		gomail.WithNoDefaultUserAgent())
	mail.FromMailAddress(from)
	mail.ToMailAddress(&netmail.Address{Address: m.To})
	if m.ReplyTo != "" {
		mail.ReplyToMailAddress(&netmail.Address{Address: m.ReplyTo})
	}

	mail.Subject(m.Subject)
	mail.SetDateWithValue(now)
	mail.SetMessageIDWithValue(m.messageID(from))
	mail.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no automatic replies
	if m.Unsubscribe != "" {
		mail.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+m.Unsubscribe+">")
		mail.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}

	mail.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		mail.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}

	return mail
}

// messageID returns the Message-ID. It is the same for every attempt, so that recipients can deduplicate a mail that
// was accepted but not recorded as sent.
func (m Message) messageID(from *netmail.Address) string {
	sum := sha256.Sum256([]byte(m.ID))
	return hex.EncodeToString(sum[:16]) + "@" + domain(from)
}

func domain(address *netmail.Address) string {
	return address.Address[strings.LastIndexByte(address.Address, '@')+1:]
}
