package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/internal/lease"
	"github.com/rodata/rodata/internal/weburl"
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
	Endpoints weburl.Endpoints
	// Most is the maximum number of webhooks of an account.
	Most int
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
// It implements api.Webhooks.
type Webhooks struct {
	store     *store.DB
	hub       *watch.Hub
	sealer    account.Sealer
	endpoints weburl.Endpoints
	sender    *sender
	most      int
	owner     func(ctx context.Context, account string) (account.User, error)
	mail      func(context.Context, mail.Message) error
	site      string
	meter     func(result string)
	log       *slog.Logger

	woken   chan struct{}
	leading atomic.Pointer[deliverer] // nil while another process leads
	stop    context.CancelFunc
	running sync.WaitGroup
}

// leaseTime is the time until the lease of a dead process expires. Tests make it shorter.
var leaseTime = lease.Duration

const (
	leaseName = "webhooks"
	// keep is the time for which deliveries stay listed.
	keep    = 30 * 24 * time.Hour
	tidying = time.Hour
)

// Open starts delivering. The result must be closed.
func Open(o Options) *Webhooks {
	w := &Webhooks{
		store: o.Store, hub: o.Hub, sealer: account.NewSealer(o.Secret, "rodata webhooks"), endpoints: o.Endpoints,
		sender: newSender(o.Endpoints, o.Agent), most: o.Most, owner: o.Owner, mail: o.Mail, site: o.Site,
		meter: o.Meter, log: o.Logger,
		woken: make(chan struct{}, 1),
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	w.running.Go(func() { lease.Lead(ctx, w.store.Leases(), leaseName, leaseTime, w.log, w.deliver) })
	w.running.Go(func() { w.tidy(ctx) })
	return w
}

// Close stops delivering. Requests in flight get 5 seconds to finish.
func (w *Webhooks) Close() error {
	w.stop()
	w.running.Wait()
	w.sender.client.CloseIdleConnections()
	return nil
}

// Wake makes the process check for due deliveries, if it leads.
func (w *Webhooks) Wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// tidy deletes old deliveries.
func (w *Webhooks) tidy(ctx context.Context) {
	tick := time.NewTicker(tidying)
	defer tick.Stop()
	for {
		if err := w.store.ForgetDeliveries(ctx, time.Now().Add(-keep)); err != nil && ctx.Err() == nil {
			w.log.Warn("deleting old deliveries failed", "error", err)
		}

		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tell notifies accounts that their webhooks were disabled.
func (w *Webhooks) tell(ctx context.Context) {
	untold, err := w.store.Untold(ctx)
	for i := range untold {
		if err == nil {
			err = w.tellOwner(ctx, &untold[i])
		}
	}

	if err != nil && ctx.Err() == nil {
		w.log.Warn("accounts cannot be told that a webhook was disabled; trying again", "error", err)
	}
}

func (w *Webhooks) tellOwner(ctx context.Context, hook *store.Webhook) error {
	w.log.Warn("a webhook was disabled", "webhook", hook.ID, "account", hook.Account, "reason", hook.Disabled)
	switch user, err := w.owner(ctx, hook.Account); {
	case errors.Is(err, account.ErrNoUser), errors.Is(err, account.ErrNoAccount):
	case err != nil:
		return err
	default:
		if err := w.mail(ctx, disabledMail(user.Email, w.site, hook)); err != nil && !errors.Is(err, mail.ErrNoMail) {
			return err
		}
	}

	return w.store.Told(ctx, hook)
}
