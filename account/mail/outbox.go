// Package mail sends mail through an outbox, which keeps each mail until a mail server has accepted it. It also accepts
// inquiries to the operators.
package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/work"
)

// ErrNoMail: no mail server is configured.
var ErrNoMail = errors.New("no mail server is configured (RODATA_SMTP_URL)")

// Store keeps the outbox and the inquiries. Its methods may be called concurrently, by several processes.
type Store interface {
	// AddMail stores a mail that is due now, unless its ID is already known.
	AddMail(ctx context.Context, m Entry, now time.Time) error
	// NextMail returns the time at which the next mail is due or its lease ends. It is zero if there is none.
	NextMail(ctx context.Context) (time.Time, error)
	// ClaimMails leases up to limit due mails, the oldest first, and increments their Tries. Other processes do not get
	// them until the lease ends.
	ClaimMails(ctx context.Context, now, lease time.Time, limit int) ([]Entry, error)
	// SettleMail records the outcome of an attempt for a claimed mail: its Tries, and when it is due again. A zero due
	// time means that no further attempt follows; then only the ID of the mail is kept. SettleMail does nothing if
	// another holder has the lease.
	SettleMail(ctx context.Context, m Entry, due, now time.Time) error
	// AddInquiry stores an inquiry and its notice, which may be nil, in one transaction. The error is a
	// *account.TooManyInquiries beyond 5 inquiries an hour from one address, 20 from one IPv6 site, or 100 in total.
	AddInquiry(ctx context.Context, q account.Inquiry, notice *Entry) error
	// ForgetMail deletes mails and inquiries whose retention period has ended.
	ForgetMail(ctx context.Context, now time.Time) error
}

// Entry is a mail in the store.
type Entry struct {
	ID string
	// Content is the message, encrypted.
	Content []byte
	// Tries is the number of times that the mail was claimed.
	Tries int
	// Lease is the end of the current lease, to the millisecond.
	Lease time.Time
}

// Options configure an Outbox.
type Options struct {
	Store Store
	// Secret is the deployment's secret, from account.LoadSecret; contents are encrypted with a key derived from it.
	Secret []byte
	// Server is the mail server; the zero Server means that there is none.
	Server Server
	// From is the sender; required with a Server.
	From *netmail.Address
	// Print receives the mails if there is no server, for development. Nil disables it.
	Print  func(Message)
	Logger *slog.Logger
}

// Outbox sends mails in the background: at once, and with retries after 1, 5 and 30 minutes, 2 hours and 12 hours. It
// is safe for concurrent use. A nil Outbox has no mail server.
type Outbox struct {
	store     Store
	sealer    account.Sealer // links in mails are as sensitive as passwords
	transport transport      // nil if there is none
	logger    *slog.Logger

	pool   work.Pool
	worker work.Worker
}

// Open starts an outbox, which must be closed.
func Open(o Options) (*Outbox, error) {
	if o.Server != (Server{}) {
		if o.From == nil {
			return nil, errors.New("a mail server needs a sender (RODATA_MAIL_FROM)")
		}
		return open(o, newSMTP(o.Server, o.From)), nil
	}

	if o.Print != nil {
		return open(o, printer(o.Print)), nil
	}
	return open(o, nil), nil
}

func open(options Options, t transport) *Outbox {
	o := &Outbox{
		store: options.Store, sealer: account.NewSealer(options.Secret, "rodata outbox"), transport: t,
		logger: options.Logger,
	}
	o.start()
	return o
}

// Enabled reports whether mails can be sent, or printed.
func (o *Outbox) Enabled() bool { return o != nil && o.transport != nil }

// Send queues a mail and does not wait for its delivery; once it has returned, the mail survives a crash. It returns
// ErrNoMail if there is no mail server. Any other error means that the message is invalid or could not be stored.
func (o *Outbox) Send(ctx context.Context, m Message) error {
	if !o.Enabled() {
		return ErrNoMail
	}

	stored, err := o.prepare(m)
	if err != nil {
		return err
	}
	if err := o.store.AddMail(ctx, stored, time.Now()); err != nil {
		return fmt.Errorf("storing mail %s: %w", m.ID, err)
	}

	o.worker.Wake()
	return nil
}

func (o *Outbox) prepare(m Message) (Entry, error) {
	m, err := m.validate()
	if err != nil {
		return Entry{}, fmt.Errorf("preparing mail %q: %w", m.ID, err)
	}

	content, err := o.sealer.SealJSON(m.ID, m)
	if err != nil {
		return Entry{}, fmt.Errorf("preparing mail %q: %w", m.ID, err)
	}

	return Entry{ID: m.ID, Content: content}, nil
}

// Close stops sending. A mail in progress gets 5 seconds; unsent mails stay in the store.
func (o *Outbox) Close() error {
	o.pool.Close()
	return nil
}
