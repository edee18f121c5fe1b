// Package mailserver is a mail server for tests: it accepts mails and keeps them for the test to read.
package mailserver

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/rodata/rodata/testkit"
)

// Options configure a server.
type Options struct {
	// User and Password are the required credentials; if they are empty, all clients are accepted.
	User, Password string
	// TLS makes the server offer STARTTLS or, if Encrypted is set, accept only implicit TLS.
	TLS       *tls.Config
	Encrypted bool
	// Refuse, if set, is called at each step of a mail, with the command (MAIL, RCPT or DATA) and its argument; it may
	// return an error, made by Answer, as the response.
	Refuse func(command, argument string) error
	// Address is the address to listen on, if it matters. Default: a free port of 127.0.0.1.
	Address string
}

// Server is a mail server on a loopback address.
type Server struct {
	options     Options
	address     string
	connections atomic.Int32
	greeting    atomic.Value // of string
	mails       chan Mail
	smtp        *smtp.Server
}

// Start serves until the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}

	listener, err := net.Listen("tcp", o.Address)
	testkit.NoError(t, err)

	s := &Server{options: o, address: listener.Addr().String(), mails: make(chan Mail, 1000)}
	listener = countingListener{listener, &s.connections}
	if o.Encrypted {
		listener = tls.NewListener(listener, o.TLS)
	}

	s.smtp = smtp.NewServer(s)
	s.smtp.Domain = "mail.example"
	s.smtp.TLSConfig = o.TLS
	s.smtp.AllowInsecureAuth = o.TLS == nil
	s.smtp.ErrorLog = silence{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.smtp.Serve(listener)
	}()

	t.Cleanup(func() {
		s.smtp.Close()
		<-ended
	})
	return s
}

// Address returns the server's host and port.
func (s *Server) Address() string { return s.address }

// Connections returns the number of connections so far.
func (s *Server) Connections() int { return int(s.connections.Load()) }

// Greeting returns the name in the last client's greeting.
func (s *Server) Greeting() string { return s.greeting.Load().(string) }

// Next waits for the next mail.
func (s *Server) Next(t testing.TB) Mail {
	t.Helper()
	select {
	case m := <-s.mails:
		return m
	case <-time.After(10 * time.Second):
		t.Fatal("no mail came within 10 seconds")
		return Mail{}
	}
}

// Waiting returns the number of received mails that Next has not returned yet.
func (s *Server) Waiting() int { return len(s.mails) }

// Answer returns a response of the server, such as 550, "5.1.1", "no such user".
func Answer(code int, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: text}
}

// NewSession implements smtp.Backend.
func (s *Server) NewSession(c *smtp.Conn) (smtp.Session, error) {
	s.greeting.Store(c.Hostname())
	return &session{server: s}, nil
}

// countingListener counts the connections that it accepts.
type countingListener struct {
	net.Listener
	n *atomic.Int32
}

func (c countingListener) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.n.Add(1)
	}
	return conn, err
}

// session is the state of one connection.
type session struct {
	server *Server
	user   string
	mail   Mail
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.server.options.User || password != s.server.options.Password {
			return errors.New("user or password is wrong")
		}

		s.user = user
		return nil
	}), nil
}

func (s *session) ask(command, argument string) error {
	if s.server.options.User != s.user {
		return smtp.ErrAuthRequired
	}
	if s.server.options.Refuse == nil {
		return nil
	}
	return s.server.options.Refuse(command, argument)
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.mail.From = from
	return s.ask("MAIL", from)
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mail.To = append(s.mail.To, to)
	return s.ask("RCPT", to)
}

func (s *session) Data(r io.Reader) (err error) {
	if s.mail.Raw, err = io.ReadAll(r); err != nil {
		return err
	}
	if err := s.ask("DATA", string(s.mail.Raw)); err != nil {
		return err
	}

	s.server.mails <- s.mail
	return nil
}

func (s *session) Reset()        { s.mail = Mail{} }
func (s *session) Logout() error { return nil }

type silence struct{}

func (silence) Printf(string, ...any) {}
func (silence) Println(...any)        {}
