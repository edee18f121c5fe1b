package mail

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/mailserver"
)

// certified returns a server's certificate for mail.example, and a client that trusts it.
func certified(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail.example"}, DNSNames: []string{"mail.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
	}
	der := testkit.Must(x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key))
	certificate := testkit.Must(x509.ParseCertificate(der))
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}},
		&tls.Config{ServerName: "mail.example", RootCAs: roots}
}

// postTo returns a transport that connects to a local server, whatever host the URL names.
func postTo(t *testing.T, url, address string) *smtpTransport {
	t.Helper()
	server := testkit.Must(ParseServer(url))
	p := newSMTP(server, sender)
	p.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	return p
}

func carry(ctx context.Context, p transport, messages ...Message) error {
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close()

	for _, m := range messages {
		if err := c.send(m); err != nil {
			return err
		}
	}

	return nil
}

func TestMailsAreHandedOver(t *testing.T) {
	secure, trust := certified(t)
	for name, c := range map[string]struct {
		url     string
		options mailserver.Options
	}{
		"plainly on this machine": {"smtp://127.0.0.1", mailserver.Options{}},
		"plainly with a password": {"smtp://desk:parola@127.0.0.1",
			mailserver.Options{User: "desk", Password: "parola"}},
		"by STARTTLS": {"smtp://mail.example", mailserver.Options{TLS: secure}},
		"by STARTTLS, signed in": {"smtp://desk:parola@mail.example",
			mailserver.Options{TLS: secure, User: "desk", Password: "parola"}},
		"encrypted from the start": {"smtps://desk:parola@mail.example",
			mailserver.Options{TLS: secure, Encrypted: true, User: "desk", Password: "parola"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := mailserver.Start(t, c.options)
			p := postTo(t, c.url, server.Address())
			p.tls.RootCAs = trust.RootCAs
			second := greeting
			second.To = "bogdan@example.com"
			testkit.NoError(t, carry(t.Context(), p, greeting, second))

			for _, want := range []Message{greeting, second} {
				got := server.Next(t)
				if got.From != sender.Address || !slices.Equal(got.To, []string{want.To}) {
					t.Errorf("the mail went from %s to %v", got.From, got.To)
				}
				testkit.Equal(t, got.Read(t).Text, want.Text)
			}

			testkit.Equal(t, server.Connections(), 1, "connections for two mails")
			testkit.Equal(t, server.Greeting(), "api.example.ro", "we called ourselves")
		})
	}
}

func TestNothingIsSentUnencrypted(t *testing.T) {
	secure, trust := certified(t)
	for name, c := range map[string]struct {
		url     string
		options mailserver.Options
		roots   *x509.CertPool
	}{
		"no STARTTLS": {"smtp://desk:parola@mail.example",
			mailserver.Options{User: "desk", Password: "parola"}, trust.RootCAs},
		"a certificate of nobody": {"smtp://desk:parola@mail.example",
			mailserver.Options{TLS: secure, User: "desk", Password: "parola"}, nil},
		"a certificate of another": {"smtp://desk:parola@other.example",
			mailserver.Options{TLS: secure, User: "desk", Password: "parola"}, trust.RootCAs},
		"no encryption from the start": {"smtps://desk:parola@mail.example",
			mailserver.Options{TLS: secure, User: "desk", Password: "parola"}, trust.RootCAs},
		"a wrong password": {"smtp://desk:altceva@127.0.0.1",
			mailserver.Options{User: "desk", Password: "parola"}, nil},
		"no password": {"smtp://127.0.0.1", mailserver.Options{User: "desk", Password: "parola"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := mailserver.Start(t, c.options)
			p := postTo(t, c.url, server.Address())
			p.tls.RootCAs = c.roots
			err := carry(t.Context(), p, greeting)
			if err == nil || errors.Is(err, errRejected) {
				t.Fatalf("got %v, want a temporary failure", err)
			}
			if strings.Contains(err.Error(), "parola") || strings.Contains(err.Error(), "altceva") {
				t.Errorf("the error shows the password: %v", err)
			}
			testkit.Equal(t, server.Waiting(), 0, "delivered mails")
		})
	}
}

func TestAnswersOfServers(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		code    int
		forGood bool
	}{
		"later, says the server of the sender":    {"MAIL", 451, false},
		"never, says the server of the sender":    {"MAIL", 553, false},
		"later, says the server of the recipient": {"RCPT", 450, false},
		"never, says the server of the recipient": {"RCPT", 550, true},
		"later, says the server of the content":   {"DATA", 452, false},
		"never, says the server of the content":   {"DATA", 554, true},
		"the server closes after the recipient":   {"RCPT", 421, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := mailserver.Start(t, mailserver.Options{Refuse: func(command, _ string) error {
				if command == c.command {
					return mailserver.Answer(c.code, "of <ana@example.ro> we think nothing")
				}
				return nil
			}})
			err := carry(t.Context(), postTo(t, "smtp://127.0.0.1", server.Address()), greeting)
			if err == nil || errors.Is(err, errRejected) != c.forGood {
				t.Errorf("got %v, want a permanent failure: %v", err, c.forGood)
			}
			if err != nil && strings.Contains(err.Error(), "ana@") {
				t.Errorf("the error, which is logged, shows a person's address: %v", err)
			}
		})
	}
}

// The client gives up on a server that does not respond for 30 seconds, at every step of the protocol.
func TestSilentServers(t *testing.T) {
	for name, lines := range map[string][]string{
		"from the start":    nil,
		"after the welcome": {"220 mail.example"},
		"after the hello":   {"220 mail.example", "250 mail.example"},
		"after the sender":  {"220 mail.example", "250 mail.example", "250 ok", "250 ok"},
		"after the mail":    {"220 mail.example", "250 mail.example", "250 ok", "250 ok", "250 ok", "354 go on"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				go speak(far, lines)
				p := postTo(t, "smtp://127.0.0.1", "")
				p.dial = func(context.Context, string, string) (net.Conn, error) { return near, nil }
				began := time.Now()
				if err := carry(t.Context(), p, greeting); err == nil {
					t.Error("the mail was sent")
				}
				if took := time.Since(began); took > 2*timeout {
					t.Errorf("took %s", took)
				}

				far.Close()
			})
		})
	}
}

// speak answers each line with the next of lines. After the last one, it only reads.
func speak(conn net.Conn, lines []string) {
	buffer := make([]byte, 64<<10)
	for _, line := range lines {
		if _, err := conn.Write([]byte(line + "\r\n")); err != nil {
			return
		}
		if _, err := conn.Read(buffer); err != nil {
			return
		}
	}

	for {
		if _, err := conn.Read(buffer); err != nil {
			return
		}
	}
}

func TestCancelledContextEndsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		go speak(far, nil)
		p := postTo(t, "smtp://127.0.0.1", "")
		p.dial = func(context.Context, string, string) (net.Conn, error) { return near, nil }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if err := carry(ctx, p, greeting); err == nil || time.Since(began) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
	})
}

// A mail that the server has accepted is sent, even if the connection breaks right after.
func TestConnectionDroppedAfterMail(t *testing.T) {
	near, far := net.Pipe()
	go speakAll(far, "220 mail.example", "250 mail.example", "250 ok", "250 ok", "250 ok", "354 go on")
	p := postTo(t, "smtp://127.0.0.1", "")
	p.dial = func(context.Context, string, string) (net.Conn, error) { return near, nil }
	c := testkit.Must(p.connect(t.Context()))
	defer c.close()

	testkit.NoError(t, c.send(greeting), "the first mail")
	testkit.ErrorIs(t, c.send(greeting), errDisconnected, "the next mail")
}

// speakAll answers each line, accepts a mail, and hangs up.
func speakAll(conn net.Conn, lines ...string) {
	buffer := make([]byte, 64<<10)
	for _, line := range lines {
		conn.Write([]byte(line + "\r\n"))
		if strings.HasPrefix(line, "354") {
			break
		}

		conn.Read(buffer)
	}

	for text := ""; !strings.HasSuffix(text, "\r\n.\r\n"); {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}

		text += string(buffer[:n])
	}

	conn.Write([]byte("250 taken\r\n"))
	conn.Close()
}
