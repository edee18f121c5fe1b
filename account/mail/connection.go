package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// timeout bounds connecting and signing in, and then the delivery of each mail.
const timeout = 30 * time.Second

// transport delivers mails: over SMTP, or to the log.
type transport interface {
	// connect opens a connection, which ends with close or with ctx.
	connect(ctx context.Context) (connection, error)
}

type connection interface {
	// send delivers one message. After an error the connection is unusable.
	send(m Message) error
	close()
}

var (
	// errRejected: the server rejects this message permanently.
	errRejected = errors.New("rejected permanently")
	// errDisconnected: the connection had ended before the message was started.
	errDisconnected = errors.New("the server ended the connection")
)

type smtpTransport struct {
	server Server
	from   *netmail.Address
	tls    *tls.Config
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

func newSMTP(server Server, from *netmail.Address) *smtpTransport {
	return &smtpTransport{
		server: server, from: from,
		tls:  &tls.Config{ServerName: server.host, MinVersion: tls.VersionTLS12},
		dial: new(net.Dialer).DialContext,
	}
}

type smtpConnection struct {
	client *gomail.Client
	smtp   *smtp.Client
	from   *netmail.Address
	broken bool
	hangUp func()
}

func (t *smtpTransport) connect(ctx context.Context) (connection, error) {
	conn, err := t.reach(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", t.server, err)
	}

	// The library honours ctx only while dialling, and leaks the connection if signing in fails.
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	c := &smtpConnection{from: t.from, hangUp: func() { stop(); conn.Close() }}
	if c.client, err = gomail.NewClient(t.server.host, t.options(conn)...); err == nil {
		c.smtp, err = c.client.DialToSMTPClientWithContext(ctx)
	}
	if err != nil {
		c.hangUp()
		return nil, fmt.Errorf("signing in at %s: %w", t.server, err)
	}

	return c, nil
}

// reach dials, and encrypts if the server expects implicit TLS.
func (t *smtpTransport) reach(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := t.dial(ctx, "tcp", net.JoinHostPort(t.server.host, strconv.Itoa(t.server.port)))
	if err != nil || t.server.security != encrypted {
		return conn, err
	}

	secure := tls.Client(conn, t.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}

	return secure, nil
}

func (t *smtpTransport) options(conn net.Conn) []gomail.Option {
	options := []gomail.Option{
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }),
		gomail.WithTimeout(timeout),
		gomail.WithHELO(domain(t.from)), // does not disclose the host's name
		gomail.WithoutSMTPUTF8(),        // all addresses are ASCII
		gomail.WithTLSConfig(t.tls),
		gomail.WithTLSPolicy(gomail.TLSMandatory),
	}
	if t.server.security != upgraded {
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if t.server.user == "" {
		return options
	}

	mechanisms := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
	if t.server.security == plain {
		mechanisms = []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlainNoEnc,
			gomail.SMTPAuthLoginNoEnc}
	}

	return append(options, gomail.WithUsername(t.server.user), gomail.WithPassword(t.server.password),
		gomail.WithOpportunisticSMTPAuth(mechanisms...))
}

func (c *smtpConnection) send(m Message) error {
	mail := m.compose(c.from, time.Now())
	err := c.client.SendWithSMTPClient(c.smtp, mail)
	c.broken = err != nil
	if err == nil || mail.IsDelivered() { // later errors are irrelevant
		return nil
	}

	return withoutServerText(err)
}

// withoutServerText describes an error without the server's text, which may contain a person's address. Only a rejected
// recipient or content is permanent: a rejected sender is a configuration error, which may be fixed before the next
// attempt.
func withoutServerText(err error) error {
	failure, ok := errors.AsType[*gomail.SendError](err)
	switch {
	case !ok:
		return err
	case failure.Reason == gomail.ErrConnCheck:
		return errDisconnected
	case failure.ErrorCode() == 0:
		return fmt.Errorf("%s: the connection broke", failure.Reason)
	}

	answer := fmt.Errorf("%s: the server answered %d %s", failure.Reason, failure.ErrorCode(),
		failure.EnhancedStatusCode())
	if failure.ErrorCode() >= 500 && (failure.Reason == gomail.ErrSMTPRcptTo ||
		failure.Reason == gomail.ErrSMTPDataClose) {
		return fmt.Errorf("%w: %w", errRejected, answer)
	}

	return answer
}

// close ends the session with QUIT, unless the connection is broken.
func (c *smtpConnection) close() {
	if !c.broken {
		c.client.CloseWithSMTPClient(c.smtp) // all mails have been acknowledged
	}
	c.hangUp()
}
