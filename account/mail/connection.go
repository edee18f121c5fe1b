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

// smtpTransport delivers over SMTP.
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

// smtpConnection is a connection to a server.
type smtpConnection struct {
	client *gomail.Client
	smtp   *smtp.Client
	from   *netmail.Address
	broken bool
	hangUp func()
}

// connect dials, encrypts and signs in.
func (p *smtpTransport) connect(ctx context.Context) (connection, error) {
	conn, err := p.reach(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", p.server, err)
	}

	// The library honours ctx only while dialling, and leaks the connection if signing in fails.
	ended := context.AfterFunc(ctx, func() { conn.Close() })
	b := &smtpConnection{from: p.from, hangUp: func() { ended(); conn.Close() }}
	if b.client, err = gomail.NewClient(p.server.host, p.options(conn)...); err == nil {
		b.smtp, err = b.client.DialToSMTPClientWithContext(ctx)
	}
	if err != nil {
		b.hangUp()
		return nil, fmt.Errorf("signing in at %s: %w", p.server, err)
	}

	return b, nil
}

// reach dials, with implicit TLS if configured.
func (p *smtpTransport) reach(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := p.dial(ctx, "tcp", net.JoinHostPort(p.server.host, strconv.Itoa(p.server.port)))
	if err != nil || p.server.security != encrypted {
		return conn, err
	}

	secure := tls.Client(conn, p.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}

	return secure, nil
}

func (p *smtpTransport) options(conn net.Conn) []gomail.Option {
	options := []gomail.Option{
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }),
		gomail.WithTimeout(timeout),
		gomail.WithHELO(domain(p.from)), // does not disclose the host's name
		gomail.WithoutSMTPUTF8(),        // all addresses are ASCII
		gomail.WithTLSConfig(p.tls),
		gomail.WithTLSPolicy(gomail.TLSMandatory),
	}
	if p.server.security != upgraded {
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if p.server.user == "" {
		return options
	}

	mechanisms := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
	if p.server.security == plain {
		mechanisms = []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlainNoEnc,
			gomail.SMTPAuthLoginNoEnc}
	}

	return append(options, gomail.WithUsername(p.server.user), gomail.WithPassword(p.server.password),
		gomail.WithOpportunisticSMTPAuth(mechanisms...))
}

func (b *smtpConnection) send(m Message) error {
	mail := m.compose(b.from, time.Now())
	err := b.client.SendWithSMTPClient(b.smtp, mail)
	b.broken = err != nil
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
func (b *smtpConnection) close() {
	if !b.broken {
		b.client.CloseWithSMTPClient(b.smtp) // all mails have been acknowledged
	}
	b.hangUp()
}
