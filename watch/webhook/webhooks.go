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
	"github.com/rodata/rodata/internal/weburl"
	"github.com/rodata/rodata/watch"
	"github.com/rodata/rodata/watch/store"
)

// Options configure Webhooks.
type Options struct {
	Store *store.DB
	Hub   *watch.Hub
	// Secret is what account.LoadSecret returned; the secrets of webhooks are encrypted with a key derived from it.
	Secret []byte
	// Endpoints are those that may be called.
	Endpoints weburl.Endpoints
	// Most is how many webhooks an account may have.
	Most int
	// Agent is the header User-Agent of what is sent.
	Agent string
	// Owner finds the user of an account, and Mail takes mails to them.
	Owner func(ctx context.Context, account string) (account.User, error)
	Mail  func(context.Context, mail.Message) error
	// Site is the address of the service in mails; it may be empty.
	Site string
	// Meter counts tries by what became of them: delivered, retried or failed.
	Meter  func(result string)
	Logger *slog.Logger
}

// Webhooks sends events to the endpoints of accounts. Of a fleet one process does; each manages them. It implements
// api.Webhooks.
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

// leaseTime is how long a process that has died still leads. Tests make it shorter.
var leaseTime = watch.LeaseTime

const (
	lease = "webhooks"
	// keep is how long deliveries are listed.
	keep    = 30 * 24 * time.Hour
	tidying = time.Hour
)

// Open starts to deliver. The result must be closed.
func Open(o Options) *Webhooks {
	w := &Webhooks{
		store: o.Store, hub: o.Hub, sealer: account.NewSealer(o.Secret, "rodata webhooks"), endpoints: o.Endpoints,
		sender: newSender(o.Endpoints, o.Agent), most: o.Most, owner: o.Owner, mail: o.Mail, site: o.Site, meter: o.Meter, log: o.Logger,
		woken: make(chan struct{}, 1),
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	w.running.Go(func() { watch.Lead(ctx, w.store, lease, leaseTime, w.log, w.deliver) })
	w.running.Go(func() { w.tidy(ctx) })
	return w
}

// Close stops sending. Requests on their way get 5 seconds.
func (w *Webhooks) Close() error {
	w.stop()
	w.running.Wait()
	w.sender.client.CloseIdleConnections()
	return nil
}

// Wake makes the process look for what is due, if it leads.
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

// tell tells accounts of webhooks that were disabled.
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
