package mailtest

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
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

	c := Content{Header: parsed.Header}
	media, params, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(media, "multipart/") {
		c.Text = decoded(t, parsed.Body)
		return c
	}

	parts := multipart.NewReader(parsed.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return c
		}
		if err != nil {
			t.Fatal(err)
		}

		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			c.HTML = decoded(t, part)
		} else {
			c.Text = decoded(t, part)
		}
	}
}

// Content is what a mail says.
type Content struct {
	Header netmail.Header
	Text   string
	HTML   string
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

func decoded(t testing.TB, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(quotedprintable.NewReader(r))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
