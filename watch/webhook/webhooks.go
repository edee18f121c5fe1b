// Package webhook sends events to endpoints of accounts, according to the Standard Webhooks specification
// (github.com/standard-webhooks/standard-webhooks, read on 2026-08-17).
package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/watch"
	"github.com/rodata/rodata/watch/store"
)

// Options configure Webhooks.
type Options struct {
	Store *store.DB
	Hub   *watch.Hub
	// Secret is the deployment's secret, from account.LoadSecret; the secrets of webhooks are encrypted with a key
	// derived from it.
	Secret []byte
	// Endpoints decides which endpoints may be called.
	Endpoints web.Endpoints
	// MaxPerAccount is the maximum number of webhooks of an account.
	MaxPerAccount int
	// Days counts the events that accounts replay.
	Days *metering.Days
	// Agent is the User-Agent of requests.
	Agent string
	// Owner returns the user of an account, and Mail queues a mail.
	Owner func(ctx context.Context, account string) (account.User, error)
	Mail  func(context.Context, mail.Message) error
	// Site is the address of the service in mails; it may be empty.
	Site string
	// Meter counts attempts by result: delivered, retried or failed.
	Meter  func(result string)
	Logger *slog.Logger
}

// Webhooks sends events to the endpoints of accounts. Every process of a fleet manages webhooks, and one of them sends.
// It implements monitoring.Webhooks.
type Webhooks struct {
	o      Options
	sealer account.Sealer
	sender *sender

	bell    work.Bell
	leading atomic.Pointer[deliverer] // nil while another process leads
	pool    work.Pool
}

// leaseTime is the time until the lease of a dead process expires. Tests make it shorter.
var leaseTime = work.LeaseTime

const (
	leaseName = "webhooks"
	// retention is the time for which deliveries stay listed.
	retention    = 30 * 24 * time.Hour
	tidyInterval = time.Hour
)

// Open starts delivering. The result must be closed.
func Open(o Options) *Webhooks {
	w := &Webhooks{
		o: o, sealer: account.NewSealer(o.Secret, "rodata webhooks"), sender: newSender(o.Endpoints, o.Agent),
		bell: work.NewBell(),
	}
	w.pool.Go(func(ctx context.Context) {
		work.Lead(ctx, w.o.Store.Leases(), leaseName, leaseTime, w.o.Logger, w.deliver)
	})
	w.pool.Repeat(w.tidy)
	return w
}

// Close stops delivering. Requests in flight get 5 seconds to finish.
func (w *Webhooks) Close() error {
	w.pool.Close()
	w.sender.client.CloseIdleConnections()
	return nil
}

// Wake makes the process check for due deliveries, if it leads.
func (w *Webhooks) Wake() { w.bell.Ring() }

// tidy deletes old deliveries.
func (w *Webhooks) tidy(ctx context.Context) (pause time.Duration) {
	if err := w.o.Store.ForgetDeliveries(ctx, time.Now().Add(-retention)); err != nil && ctx.Err() == nil {
		w.o.Logger.Warn("deleting old deliveries failed", "error", err)
	}
	return tidyInterval
}

// notifyOwners notifies accounts that their webhooks were disabled.
func (w *Webhooks) notifyOwners(ctx context.Context) {
	hooks, err := w.o.Store.Unnotified(ctx)
	for i := range hooks {
		if err == nil {
			err = w.notifyOwner(ctx, &hooks[i])
		}
	}

	if err != nil && ctx.Err() == nil {
		w.o.Logger.Warn("notifying accounts of disabled webhooks failed; retrying", "error", err)
	}
}

func (w *Webhooks) notifyOwner(ctx context.Context, hook *store.Webhook) error {
	w.o.Logger.Warn("a webhook was disabled", "webhook", hook.ID, "account", hook.Account, "reason", hook.Disabled)
	switch user, err := w.o.Owner(ctx, hook.Account); {
	case errors.Is(err, account.ErrNoUser), errors.Is(err, account.ErrNoAccount):
	case err != nil:
		return err
	default:
		err := w.o.Mail(ctx, disabledMail(user.Email, w.o.Site, hook))
		if err != nil && !errors.Is(err, mail.ErrNoMail) {
			return err
		}
	}

	return w.o.Store.SetNotified(ctx, hook)
}
