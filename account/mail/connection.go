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

// patience is how long a server may take to let us in, and then for each mail.
const patience = 30 * time.Second

// transport carries mails: over SMTP, or into the log.
type transport interface {
	// connect prepares to send. The connection ends with close, or with ctx.
	connect(ctx context.Context) (connection, error)
}

type connection interface {
	// send delivers one message. After an error the connection is of no further
	// use.
	send(m Message) error
	close()
}

var (
	// errRefused: the server does not want this message, now or later.
	errRefused = errors.New("refused for good")
	// errGone: the connection had ended before anything was said of the message.
	errGone = errors.New("the server ended the connection")
)

// post is the transport over SMTP.
type post struct {
	server Server
	from   *netmail.Address
	tls    *tls.Config
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

func newPost(server Server, from *netmail.Address) *post {
	return &post{
		server: server, from: from,
		tls:  &tls.Config{ServerName: server.host, MinVersion: tls.VersionTLS12},
		dial: new(net.Dialer).DialContext,
	}
}

// letterbox is a connection to a server.
type letterbox struct {
	client *gomail.Client
	smtp   *smtp.Client
	from   *netmail.Address
	broken bool
	hangUp func()
}

// connect dials, encrypts and signs in.
func (p *post) connect(ctx context.Context) (connection, error) {
	conn, err := p.reach(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", p.server, err)
	}
	// The library knows ctx only while it dials, and leaves a connection open that
	// it fails to sign in on.
	ended := context.AfterFunc(ctx, func() { conn.Close() })
	b := &letterbox{from: p.from, hangUp: func() { ended(); conn.Close() }}
	if b.client, err = gomail.NewClient(p.server.host, p.options(conn)...); err == nil {
		b.smtp, err = b.client.DialToSMTPClientWithContext(ctx)
	}
	if err != nil {
		b.hangUp()
		return nil, fmt.Errorf("signing in at %s: %w", p.server, err)
	}
	return b, nil
}

// reach opens the connection, encrypted if that comes before all else.
func (p *post) reach(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
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

func (p *post) options(conn net.Conn) []gomail.Option {
	options := []gomail.Option{
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }),
		gomail.WithTimeout(patience),
		gomail.WithHELO(domain(p.from)), // the name of this machine is nobody's business
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
	ways := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
	if p.server.security == plain {
		ways = []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
	}
	return append(options, gomail.WithUsername(p.server.user), gomail.WithPassword(p.server.password), gomail.WithOpportunisticSMTPAuth(ways...))
}

func (b *letterbox) send(m Message) error {
	mail := m.compose(b.from, time.Now())
	err := b.client.SendWithSMTPClient(b.smtp, mail)
	b.broken = err != nil
	if err == nil || mail.IsDelivered() { // what follows a delivery may fail
		return nil
	}
	return reason(err)
}

// reason says what went wrong without repeating the server's words, in which the
// address of a person may stand. Only what the server says of the recipient or of
// the content is for good: a sender that it does not know is a mistake of ours,
// which can be corrected before the next try.
func reason(err error) error {
	var failure *gomail.SendError
	switch {
	case !errors.As(err, &failure):
		return err
	case failure.Reason == gomail.ErrConnCheck:
		return errGone
	case failure.ErrorCode() == 0:
		return fmt.Errorf("%s: the connection broke", failure.Reason)
	}
	said := fmt.Errorf("%s: the server answered %d %s", failure.Reason, failure.ErrorCode(), failure.EnhancedStatusCode())
	if failure.ErrorCode() >= 500 && (failure.Reason == gomail.ErrSMTPRcptTo || failure.Reason == gomail.ErrSMTPDataClose) {
		return fmt.Errorf("%w: %w", errRefused, said)
	}
	return said
}

// close says goodbye, unless nobody may be there to hear it.
func (b *letterbox) close() {
	if !b.broken {
		b.client.CloseWithSMTPClient(b.smtp) // all mails have been answered for
	}
	b.hangUp()
}
