// Package mail sends mail: it keeps what is to be sent until a mail server has
// taken it. It also takes the inquiries that people leave for the operators.
package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/queue"
)

// ErrNoMail: no mail server is configured, so nothing can be sent.
var ErrNoMail = errors.New("no mail server is configured (RODATA_SMTP_URL)")

// Store keeps the outbox, and the inquiries. Its methods may be called concurrently, by several
// processes.
type Store interface {
	// AddMail keeps a mail that is due now; when its ID is known already, nothing
	// changes.
	AddMail(ctx context.Context, m Stored, now time.Time) error
	// NextMail is when the next mail is due or its lease ends; zero when there is
	// none to send.
	NextMail(ctx context.Context) (time.Time, error)
	// ClaimMails takes up to limit mails that are due, those that have waited
	// longest first, and counts the try. Until the lease nobody else gets them.
	ClaimMails(ctx context.Context, now, lease time.Time, limit int) ([]Stored, error)
	// SettleMail writes down what became of a claimed mail: its Tries, and when it
	// is due again. A zero due is its end: only the ID remains of it. It does
	// nothing when the lease has passed to somebody else.
	SettleMail(ctx context.Context, m Stored, due, now time.Time) error
	// AddInquiry keeps an inquiry and the mail that tells of it, nil for none, or
	// neither. When there were enough, the error is a *account.TooManyInquiries.
	AddInquiry(ctx context.Context, q account.Inquiry, notice *Stored) error
	// ForgetMail deletes what has been kept for long enough, of mails and of
	// inquiries.
	ForgetMail(ctx context.Context, now time.Time) error
}

// Stored is a mail as it is kept.
type Stored struct {
	ID string
	// Content is the message, encrypted.
	Content []byte
	// Tries is how often it was claimed.
	Tries int
	// Lease is until when it is claimed, to the millisecond.
	Lease time.Time
}

// Options are what an Outbox needs.
type Options struct {
	Store Store
	// Secret is what LoadSecret returned; contents are encrypted with a key made
	// of it.
	Secret []byte
	// Server takes the mails; the zero Server means that there is none.
	Server Server
	// From is the sender, as ParseSender reads it; needed with a Server.
	From *netmail.Address
	// Print gets the mails when there is no server: for development. Nil: there are
	// none.
	Print  func(Message)
	Logger *slog.Logger
}

// Outbox sends mails in the background, and keeps them until that has worked: it
// tries at once and after 1, 5 and 30 minutes, 2 hours and 12 hours. It may be
// used concurrently. A nil Outbox has no mail server.
type Outbox struct {
	store     Store
	sealer    sealer
	transport transport // nil when there is none
	logger    *slog.Logger

	pool   *queue.Pool
	worker queue.Worker
}

// Open makes an outbox and begins to send what is in the store; Close ends that.
func Open(o Options) (*Outbox, error) {
	if o.Server != (Server{}) {
		if o.From == nil {
			return nil, errors.New("a mail server is named and no sender (RODATA_MAIL_FROM)")
		}
		return open(o, newPost(o.Server, o.From))
	}
	if o.Print != nil {
		return open(o, printer(o.Print))
	}
	return open(o, nil)
}

func open(options Options, t transport) (*Outbox, error) {
	s, err := newSealer(options.Secret)
	if err != nil {
		return nil, fmt.Errorf("preparing the outbox: %w", err)
	}
	o := &Outbox{store: options.Store, sealer: s, transport: t, logger: options.Logger, pool: queue.NewPool()}
	o.start()
	return o, nil
}

// Enabled reports whether mails can be sent, or printed.
func (o *Outbox) Enabled() bool { return o != nil && o.transport != nil }

// Send keeps a mail for sending and does not wait for that; once it has returned,
// the mail survives a crash. The error is ErrNoMail when there is no mail server,
// and else says what is wrong with the message or that it could not be stored.
func (o *Outbox) Send(ctx context.Context, m Message) error {
	if !o.Enabled() {
		return ErrNoMail
	}
	stored, err := o.prepare(m)
	if err != nil {
		return err
	}
	if err := o.store.AddMail(ctx, stored, time.Now()); err != nil {
		return fmt.Errorf("keeping mail %s for sending: %w", m.ID, err)
	}
	o.worker.Wake()
	return nil
}

// prepare makes of a message what is stored of it.
func (o *Outbox) prepare(m Message) (Stored, error) {
	m, err := m.checked()
	if err != nil {
		return Stored{}, fmt.Errorf("preparing mail %q: %w", m.ID, err)
	}
	content, err := o.sealer.seal(m)
	if err != nil {
		return Stored{}, fmt.Errorf("preparing mail %q: %w", m.ID, err)
	}
	return Stored{ID: m.ID, Content: content}, nil
}

// Close ends the sending. A mail in progress gets 5 seconds; mails that are not sent stay in the store.
func (o *Outbox) Close() error {
	o.pool.Close()
	return nil
}
