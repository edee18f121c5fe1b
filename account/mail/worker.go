package mail

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/internal/work"
)

// backoff lists the pauses between attempts to send a mail. A mail is given up after the attempt that follows the last
// pause.
var backoff = work.Backoff{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 12 * time.Hour}

const (
	// batch is the maximum number of mails claimed at once and sent over one connection.
	batch = 20
	// batchTime bounds the sending of a batch. The lease is longer, to allow for clock skew between machines.
	batchTime = 5 * time.Minute
	leaseTime = 10 * time.Minute
	// poll is the interval at which the store is checked for mails left behind by other processes.
	poll = time.Minute
	// tidyInterval is the interval between deletions of old mails and inquiries.
	tidyInterval = time.Hour
)

func (o *Outbox) start() {
	o.worker = work.Worker{Name: "mails", NextDue: o.store.NextMail, Work: o.sendBatch, Poll: poll, Now: time.Now,
		Logger: o.logger}
	if o.Enabled() {
		o.pool.Start(&o.worker)
	}

	o.pool.Repeat(o.tidy)
}

// sendBatch claims due mails, tries to send them, and returns their number.
func (o *Outbox) sendBatch(ctx context.Context) (n int, err error) {
	now := time.Now()
	sending, cancel := context.WithDeadline(ctx, now.Add(batchTime))
	defer cancel()
	claimed, err := o.store.ClaimMails(sending, now, now.Add(leaseTime), batch)
	if err != nil {
		return 0, err
	}

	c := courier{transport: o.transport}
	defer c.close()
	for _, m := range claimed {
		if o.pool.IsStopping() || sending.Err() != nil {
			m.Tries-- // not attempted
			o.reschedule(ctx, m, now)
			continue
		}

		o.recordAttempt(ctx, m, o.try(sending, &c, m))
	}

	return len(claimed), nil
}

// try sends one mail. A panic counts as a failed attempt, so that one mail cannot crash the server again and again.
func (o *Outbox) try(ctx context.Context, c *courier, m Entry) (err error) {
	defer panics.Recover(&err)
	var message Message
	if err := o.sealer.OpenJSON(m.ID, m.Content, &message); err != nil {
		return err
	}

	return c.send(ctx, message)
}

func (o *Outbox) recordAttempt(ctx context.Context, m Entry, err error) {
	switch {
	case err == nil:
		o.logger.Info("mail sent", "id", m.ID, "tries", m.Tries)
		o.reschedule(ctx, m, time.Time{})
	case errors.Is(err, errRejected) || backoff.IsExhausted(m.Tries):
		o.logger.Error("giving up on a mail", "id", m.ID, "tries", m.Tries, "error", err)
		o.reschedule(ctx, m, time.Time{})
	default:
		pause := backoff.After(m.Tries)
		o.logger.Warn("sending a mail failed", "id", m.ID, "tries", m.Tries, "again_in", pause.String(), "error", err)
		o.reschedule(ctx, m, time.Now().Add(pause))
	}
}

// reschedule records when a mail is due again; the zero time means never.
func (o *Outbox) reschedule(ctx context.Context, m Entry, due time.Time) {
	err := work.Write(ctx, func(ctx context.Context) error { return o.store.SettleMail(ctx, m, due, time.Now()) })
	if err != nil {
		o.logger.Error("writing to the outbox failed; a mail may be sent twice", "id", m.ID, "error", err)
	}
}

func (o *Outbox) tidy(ctx context.Context) (pause time.Duration) {
	if err := o.store.ForgetMail(ctx, time.Now()); err != nil {
		o.logger.Warn("deleting old mails and inquiries failed", "error", err)
		return poll
	}
	return tidyInterval
}

// courier sends mails one after the other over one connection, while it lasts.
type courier struct {
	transport  transport
	connection connection
	failure    error // from connecting; it applies to the whole batch
}

func (c *courier) send(ctx context.Context, m Message) error {
	reused := c.connection != nil
	err := c.sendOnce(ctx, m)
	if reused && errors.Is(err, errDisconnected) { // servers may close a connection after some mails
		err = c.sendOnce(ctx, m)
	}

	return err
}

func (c *courier) sendOnce(ctx context.Context, m Message) error {
	if c.failure != nil {
		return c.failure
	}

	if c.connection == nil {
		if c.connection, c.failure = c.transport.connect(ctx); c.failure != nil {
			c.connection = nil
			return c.failure
		}
	}

	err := c.connection.send(m)
	if err != nil {
		c.close()
	}

	return err
}

func (c *courier) close() {
	if c.connection != nil {
		c.connection.close()
		c.connection = nil
	}
}
