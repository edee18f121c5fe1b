package mail

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// pauses are the times between a try that failed and the next one. After the last
// of them has failed too, the mail is given up.
var pauses = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 12 * time.Hour}

const (
	// batch is how many mails are claimed at once and sent over one connection.
	batch = 20
	// batchTime bounds the sending of a batch. The lease is longer by what the
	// clocks of two machines may be apart.
	batchTime = 5 * time.Minute
	leaseTime = 10 * time.Minute
	// poll is how often the store is asked without a reason: for mails that other
	// processes left behind.
	poll = time.Minute
	// settleTime bounds one note of what became of a mail.
	settleTime = 5 * time.Second
	// grace is what a mail under way gets when the outbox is closed.
	grace = 5 * time.Second
	// tidying is how often what is old is deleted.
	tidying = time.Hour
)

// run sends until the outbox is closed.
func (o *Outbox) run(ctx context.Context) {
	defer close(o.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-o.stop:
			return
		case <-o.woken:
		case <-timer.C:
		}
		o.tidy(ctx)
		timer.Reset(o.work(ctx))
	}
}

// work sends all that is due and says how long there is nothing to do then.
func (o *Outbox) work(ctx context.Context) time.Duration {
	for o.Enabled() && !o.stopped() {
		due, err := o.store.NextMail(ctx)
		if err != nil {
			o.logger.Warn("the outbox cannot be read", "error", err)
			return poll
		}
		if due.IsZero() {
			return poll
		}
		if wait := time.Until(due); wait > 0 {
			return min(wait, poll)
		}
		switch n, err := o.sendBatch(ctx); {
		case err != nil:
			o.logger.Warn("mails cannot be claimed for sending", "error", err)
			return poll
		case n == 0: // another process was faster
			return time.Second
		}
	}
	return poll
}

func (o *Outbox) stopped() bool {
	select {
	case <-o.stop:
		return true
	default:
		return false
	}
}

// sendBatch claims some mails that are due and tries to send them; n is how many.
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
		if o.stopped() || sending.Err() != nil {
			m.Tries-- // it was not tried
			o.settle(ctx, m, now)
			continue
		}
		o.settleTry(ctx, m, o.try(sending, &c, m))
	}
	return len(claimed), nil
}

// try sends one mail. A panic is an error like others: it must not take the
// server down, again and again.
func (o *Outbox) try(ctx context.Context, c *courier, m Stored) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	message, err := o.seal.open(m.ID, m.Content)
	if err != nil {
		return err
	}
	return c.send(ctx, message)
}

// settleTry writes down how a try has ended.
func (o *Outbox) settleTry(ctx context.Context, m Stored, err error) {
	switch {
	case err == nil:
		o.logger.Info("mail sent", "id", m.ID, "tries", m.Tries)
		o.settle(ctx, m, time.Time{})
	case errors.Is(err, errRefused) || m.Tries > len(pauses):
		o.logger.Error("mail given up", "id", m.ID, "tries", m.Tries, "error", err)
		o.settle(ctx, m, time.Time{})
	default:
		pause := pauses[m.Tries-1]
		o.logger.Warn("mail not sent", "id", m.ID, "tries", m.Tries, "again_in", pause.String(), "error", err)
		o.settle(ctx, m, time.Now().Add(pause))
	}
}

// settle writes down when a mail is due again, or that it never is, even when the
// outbox is being closed.
func (o *Outbox) settle(ctx context.Context, m Stored, due time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := o.store.SettleMail(ctx, m, due, time.Now()); err != nil {
		o.logger.Error("the outbox cannot be written; a mail may be sent twice", "id", m.ID, "error", err)
	}
}

// tidy deletes what is old, once in a while.
func (o *Outbox) tidy(ctx context.Context) {
	now := time.Now()
	if now.Sub(o.forgotten) < tidying {
		return
	}
	if err := o.store.ForgetMail(ctx, now); err != nil {
		o.logger.Warn("old mails and inquiries cannot be deleted", "error", err)
		return
	}
	o.forgotten = now
}

// courier sends one mail after the other over one connection while that lasts.
type courier struct {
	transport  transport
	connection connection
	failure    error // to connect, which the whole batch shares
}

func (c *courier) send(ctx context.Context, m Message) error {
	reused := c.connection != nil
	err := c.sendOnce(ctx, m)
	if reused && errors.Is(err, errGone) { // servers may end a connection after some mails
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
