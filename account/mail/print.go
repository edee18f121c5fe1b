package mail

import (
	"context"
	"log/slog"
)

// printer is the transport where there is no mail server and nothing is real: it
// writes mails into the log, so that a developer can follow the links in them.
type printer struct{ logger *slog.Logger }

func (p printer) connect(context.Context) (connection, error) { return p, nil }

func (p printer) send(m Message) error {
	p.logger.Info("no mail server is configured; this would have been sent",
		"to", m.To, "reply_to", m.ReplyTo, "subject", m.Subject, "text", m.Text)
	return nil
}

func (printer) close() {}
