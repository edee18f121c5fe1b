package mail

import (
	"bytes"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/mailserver"
)

// greeting is an ordinary mail.
var greeting = Message{
	ID: "greeting-1", To: "ana@example.ro", ReplyTo: "bogdan@example.com",
	Subject: "Bună ziua, știați că înțelepții țin la ordine? O întrebare destul de lungă, pentru mai multe rânduri",
	Text: "Prima linie: ăâîșț ĂÂÎȘȚ €\n.\n.. puncte\n\nFrom a line of its own\n" + strings.Repeat("lung ",
		300) + "\n",
}

var sender = &mail.Address{Name: "Biroul Înregistrări", Address: "desk@api.example.ro"}

func composed(t *testing.T, m Message) (raw []byte, c mailserver.Content) {
	t.Helper()
	m = testkit.Must(m.validate())
	var b bytes.Buffer
	testkit.NoError(t, testkit.Err(m.compose(sender, time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)).WriteTo(&b)))

	return b.Bytes(), mailserver.Mail{Raw: b.Bytes()}.Read(t)
}

func TestMailHasHeadersAndBothBodies(t *testing.T) {
	raw, c := composed(t, greeting)
	for name, want := range map[string]string{
		"Subject":    greeting.Subject,
		"From":       "Biroul Înregistrări <desk@api.example.ro>",
		"To":         "<ana@example.ro>",
		"Reply-To":   "<bogdan@example.com>",
		"Date":       "Fri, 20 Nov 2026 09:30:00 +0000",
		"User-Agent": "",
		"X-Mailer":   "",
		"Message-ID": "<" + greeting.messageID(sender) + ">",
	} {
		testkit.Equal(t, c.Get(t, name), want, name)
	}

	if !strings.HasSuffix(c.Header.Get("Message-ID"), "@api.example.ro>") {
		t.Errorf("the Message-ID is %s", c.Header.Get("Message-ID"))
	}
	testkit.Equal(t, c.Text, greeting.Text)

	for line := range strings.Lines(string(raw)) {
		if len(line) > 100 || strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
			t.Errorf("some servers may refuse the line %q", line)
		}
	}
}

func TestMailsAreTextAndPage(t *testing.T) {
	rich := greeting
	rich.HTML = "<p lang=\"ro\">" + strings.Repeat("știre ", 300) + "</p>"
	if _, c := composed(t, rich); c.Text != greeting.Text || c.HTML != rich.HTML {
		t.Errorf("got %q and %q", c.Text, c.HTML)
	}
}

// Mail programs end a subscription at the address in List-Unsubscribe only if both headers are there (RFC 8058).
func TestSubscriptionsEndWithOneClick(t *testing.T) {
	subscribed := greeting
	subscribed.Unsubscribe = "https://rodata.example/unsubscribe?token=wl_" + strings.Repeat("a", 100)
	_, c := composed(t, subscribed)
	testkit.Equal(t, c.Header.Get("List-Unsubscribe"), "<"+subscribed.Unsubscribe+">")
	testkit.Equal(t, c.Header.Get("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click")

	if _, c := composed(t, greeting); len(c.Header["List-Unsubscribe"])+len(c.Header["List-Unsubscribe-Post"]) > 0 {
		t.Errorf("the reader of an ordinary mail is offered to unsubscribe: %v", c.Header)
	}

	subscribed.Unsubscribe += "\r\nBcc: eva@example.com"
	if _, err := subscribed.validate(); err == nil {
		t.Error("an address with a line break was accepted")
	}
}

func TestMessageIDIsStable(t *testing.T) {
	other := greeting
	other.ID = "greeting-2"
	if a, b := greeting.messageID(sender), greeting.messageID(sender); a != b || a == other.messageID(sender) {
		t.Errorf("got %s, %s and %s", a, b, other.messageID(sender))
	}
}

// No text in a name or subject can add headers or recipients (header injection).
func TestNoTextBeginsAHeader(t *testing.T) {
	_, plain := composed(t, greeting)
	names := func(c mailserver.Content) (names []string) {
		for name := range c.Header {
			names = append(names, name)
		}

		slices.Sort(names)
		return names
	}
	for name, text := range map[string]string{
		"line feed":       "Ana\nBcc: victim@example.com",
		"carriage return": "Ana\rBcc: victim@example.com",
		"both":            "Ana\r\nBcc: victim@example.com\r\n\r\nText",
		"encoded word":    "=?utf-8?q?Ana=0D=0ABcc:_victim@example.com?=",
		"vertical":        "Ana\v\fBcc: victim@example.com",
		"next line":       "Ana\u0085Bcc: victim@example.com",
		"separator":       "Ana\u2028Bcc: victim@example.com\u2029",
		"zero":            "Ana\x00Bcc: victim@example.com",
		"not UTF-8":       "Ana\xff\nBcc: victim@example.com",
		"quotes":          `Ana" <victim@example.com>, "`,
		"right to left":   "Ana\u202eelpmaxe",
	} {
		t.Run(name, func(t *testing.T) {
			m := greeting
			m.Subject = text
			raw, c := composed(t, m)
			testkit.Equal(t, names(c), names(plain), "the headers of %s", raw)
			if to, err := c.Header.AddressList("To"); err != nil || len(to) != 1 || to[0].Address != m.To {
				t.Errorf("the mail goes to %v (%v)", to, err)
			}
			testkit.Equal(t, c.Text, m.Text, "the text")
		})
	}
}

func TestMessagesThatAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*Message){
		"no ID":                  func(m *Message) { m.ID = "" },
		"long ID":                func(m *Message) { m.ID = strings.Repeat("x", 201) },
		"no address":             func(m *Message) { m.To = "" },
		"no subject":             func(m *Message) { m.Subject = " \n" },
		"no text":                func(m *Message) { m.Text = "" },
		"large text":             func(m *Message) { m.Text = strings.Repeat("x", 300<<10) },
		"two addresses":          func(m *Message) { m.To = "ana@example.ro, victim@example.com" },
		"address with a name":    func(m *Message) { m.To = "Ana <ana@example.ro>" },
		"address with a line":    func(m *Message) { m.To = "ana@example.ro\r\nRCPT TO:<victim@example.com>" },
		"address with a header":  func(m *Message) { m.ReplyTo = "ana@example.ro\nBcc: victim@example.com" },
		"quoted address":         func(m *Message) { m.To = "\"a\r\nb\"@example.ro" },
		"address with a space":   func(m *Message) { m.ReplyTo = "ana @example.ro" },
		"address beyond ASCII":   func(m *Message) { m.To = "ană@example.ro" },
		"address that is long":   func(m *Message) { m.To = strings.Repeat("a", 250) + "@example.ro" },
		"address without a host": func(m *Message) { m.To = "ana" },
	} {
		m := greeting
		spoil(&m)
		if _, err := m.validate(); err == nil {
			t.Errorf("%s: the mail was accepted", name)
		}
	}
}

func TestSenders(t *testing.T) {
	for text, want := range map[string]string{
		"desk@example.ro":                       "desk@example.ro",
		"Registry Desk <desk@example.ro>":       "desk@example.ro",
		"Biroul Înregistrări <desk@example.ro>": "desk@example.ro",
	} {
		testkit.Equal(t, testkit.Must(ParseSender(text)).Address, want, text)
	}

	for _, text := range []string{"", "desk", "a@example.ro, b@example.ro", "Desk",
		"birou@exemplu.ro\nBcc: x@example.com", "ă@example.ro"} {
		if got, err := ParseSender(text); err == nil {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
