package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rodata/rodata/account"
)

// Inbox stores inquiries and mails them to the operators.
type Inbox struct {
	// Store keeps the inquiries, for 13 months.
	Store Store
	// Outbox sends the mails.
	Outbox *Outbox
	// To is the operators' address; empty means that inquiries are only stored.
	To     string
	Logger *slog.Logger
}

// Take stores an inquiry with a new ID and ReceivedAt, and queues a notice whose Reply-To is the sender. The error is a
// *account.TooManyInquiries beyond a limit; it wraps account.ErrStoreDown if the inquiry could not be stored.
func (b *Inbox) Take(ctx context.Context, q account.Inquiry) error {
	q.ID, q.ReceivedAt = account.NewID(), time.Now()
	notice, err := b.notice(q)
	if err != nil { // stored nevertheless
		b.Logger.Error("an inquiry was stored but cannot be mailed", "inquiry", q.ID, "error", err)
	}

	err = b.Store.AddInquiry(ctx, q, notice)
	if _, refused := errors.AsType[*account.TooManyInquiries](err); refused {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", account.ErrStoreDown, err)
	}
	if notice == nil {
		b.Logger.Info("an inquiry was stored", "inquiry", q.ID)
		return nil
	}

	b.Outbox.worker.Wake()
	return nil
}

// notice returns the mail about an inquiry. It returns nil if no mail can be sent.
func (b *Inbox) notice(q account.Inquiry) (*Entry, error) {
	if b.To == "" || !b.Outbox.Enabled() {
		return nil, nil
	}

	stored, err := b.Outbox.prepare(Message{
		ID: "inquiry-" + q.ID, To: b.To, ReplyTo: q.Email,
		Subject: "Message to the operators",
		Text: fmt.Sprintf("%s <%s> wrote on %s:\n\n%s\n\n-- \n"+
			"Inquiry %s. A reply goes to the sender; the name and address are not verified.\n",
			oneLine(q.Name), q.Email, q.ReceivedAt.UTC().Format("2006-01-02 15:04 UTC"), q.Text, q.ID),
	})
	if err != nil {
		return nil, err
	}

	return &stored, nil
}
