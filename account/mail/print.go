package mail

import (
	"context"
	"log/slog"
)

// printer is the transport for development, without a mail server: it logs the mails, so that a developer can follow
// the links in them.
type printer func(Message)

func (p printer) connect(context.Context) (connection, error) { return p, nil }

func (p printer) send(m Message) error {
	p(m)
	return nil
}

func (printer) close() {}

// PrintTo writes mails to a log.
func PrintTo(logger *slog.Logger) func(Message) {
	return func(m Message) {
		logger.Info("no mail server is configured; this mail would have been sent",
			"to", m.To, "reply_to", m.ReplyTo, "subject", m.Subject, "text", m.Text)
	}
}
