package mailtest

import (
	"bytes"
	"io"
	"mime"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
)

// Mail is a mail that came.
type Mail struct {
	// From and To are the addresses of the envelope.
	From string
	To   []string
	// Raw is the mail as it came.
	Raw []byte
}

// Read takes a mail apart.
func (m Mail) Read(t testing.TB) Content {
	t.Helper()
	parsed, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, m.Raw)
	}

	if media := parsed.Header.Get("Content-Type"); !strings.HasPrefix(media, "text/plain;") {
		t.Fatalf("the mail is of the type %s", media)
	}

	text, err := io.ReadAll(quotedprintable.NewReader(parsed.Body))
	if err != nil {
		t.Fatal(err)
	}
	return Content{Header: parsed.Header, Text: strings.ReplaceAll(string(text), "\r\n", "\n")}
}

// Content is what a mail says.
type Content struct {
	Header netmail.Header
	Text   string
}

// Get is a header in plain text.
func (c Content) Get(t testing.TB, name string) string {
	t.Helper()
	text, err := new(mime.WordDecoder).DecodeHeader(c.Header.Get(name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
