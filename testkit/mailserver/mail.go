package mailserver

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Mail is a received mail.
type Mail struct {
	// From and To are the addresses of the envelope.
	From string
	To   []string
	// Raw is the mail as received.
	Raw []byte
}

// Read parses a mail.
func (m Mail) Read(t testing.TB) Content {
	t.Helper()
	parsed, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, m.Raw)
	}

	c := Content{Header: parsed.Header}
	switch media, params, _ := mime.ParseMediaType(parsed.Header.Get("Content-Type")); media {
	case "text/plain":
		c.Text = read(t, quotedprintable.NewReader(parsed.Body))
	case "multipart/alternative": // the richest part comes last
		parts := multipart.NewReader(parsed.Body, params["boundary"]) // it decodes quoted-printable
		c.Text, c.HTML = part(t, parts, "text/plain"), part(t, parts, "text/html")
	default:
		t.Fatalf("the mail is of the type %s", media)
	}

	return c
}

func part(t testing.TB, parts *multipart.Reader, want string) string {
	t.Helper()
	p, err := parts.NextPart()
	testkit.NoError(t, err)
	if media := p.Header.Get("Content-Type"); !strings.HasPrefix(media, want+";") {
		t.Fatalf("a part is of the type %s, not %s", media, want)
	}

	return read(t, p)
}

func read(t testing.TB, body io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(body)
	testkit.NoError(t, err)

	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// Content is the content of a mail.
type Content struct {
	Header netmail.Header
	Text   string
	HTML   string // empty for a text-only mail
}

// Get returns a header in plain text.
func (c Content) Get(t testing.TB, name string) string {
	t.Helper()
	text, err := new(mime.WordDecoder).DecodeHeader(c.Header.Get(name))
	testkit.NoError(t, err)

	return text
}
