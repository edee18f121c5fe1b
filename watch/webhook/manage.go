package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/watch"
	"github.com/rodata/rodata/watch/store"
)

var _ monitoring.Webhooks = (*Webhooks)(nil)

// resolveTimeout is the time limit for resolving an endpoint's name. After it, the endpoint is accepted unresolved.
const resolveTimeout = 3 * time.Second

// The reasons recorded for a webhook that is disabled, besides those of the store.
const (
	paused  = "paused"  // its owner disabled it
	gone    = "gone"    // its endpoint answered 410
	failing = "failing" // no attempt has succeeded for a long time
)

// open decrypts the secrets of a webhook.
func (w *Webhooks) open(hook *store.Webhook) (k keys, err error) {
	if err := w.sealer.OpenJSON(hook.ID, hook.Secrets, &k); err != nil {
		return nil, err
	}
	if len(k) == 0 {
		return nil, errors.New("it has no secret")
	}
	return k, nil
}

// seal encrypts the secrets of a webhook.
func (w *Webhooks) seal(hook *store.Webhook, k keys) (err error) {
	hook.Secrets, err = w.sealer.SealJSON(hook.ID, k)
	return err
}

// accept rejects an endpoint that must not be called.
func (w *Webhooks) accept(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	if refused := (*web.Forbidden)(nil); errors.As(w.o.Endpoints.Resolve(ctx, url), &refused) {
		if refused.Detail != "" {
			w.o.Logger.Debug("the endpoint of a webhook is refused", "detail", refused.Detail)
		}
		return monitoring.RefusedEndpoint(refused.Reason)
	}

	return nil
}

// CreateWebhook implements monitoring.Webhooks.
func (w *Webhooks) CreateWebhook(ctx context.Context, account string,
	settings monitoring.WebhookChange) (monitoring.NewWebhook, error) {
	if err := w.accept(ctx, settings.URL); err != nil {
		return monitoring.NewWebhook{}, err
	}

	hook := store.Webhook{
		ID: "wh_" + strings.ToLower(rand.Text()), Account: account, Kinds: monitoring.DefaultEvents,
		CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
	apply(&hook, settings)
	k := newKeys()
	if err := w.seal(&hook, k); err != nil {
		return monitoring.NewWebhook{}, err
	}
	if err := w.o.Store.AddWebhook(ctx, hook, w.o.MaxPerAccount); err != nil {
		return monitoring.NewWebhook{}, err
	}

	return monitoring.NewWebhook{Webhook: w.toAPI(&hook), Secret: k.text()}, nil
}

// apply applies the given settings.
func apply(hook *store.Webhook, c monitoring.WebhookChange) {
	hook.Accepted = hook.Accepted && (c.URL == "" || c.URL == hook.URL)
	hook.URL = cmp.Or(c.URL, hook.URL)
	if c.URL != "" || c.State == monitoring.WebhookActive {
		hook.Key = c.Key
	}

	switch {
	case len(c.Watchlists) > 0:
		hook.Lists = c.Watchlists
		if hook.Disabled == store.NoWatchlist {
			hook.Disabled = ""
		}
	case c.Watchlists != nil && (c.State == monitoring.WebhookActive || !hasLostLists(hook)):
		// An empty list means all watch-lists. But if the webhook's lists were deleted, an empty list may just repeat
		// the current value. Such a webhook starts to receive the events of all lists only if it is also activated.
		hook.Lists = nil
	}

	if len(c.Events) > 0 {
		hook.Kinds = monitoring.SetOf(c.Events...)
	}

	switch {
	case c.State == monitoring.WebhookActive:
		hook.Disabled, hook.FailingSince = "", time.Time{}
	case c.State == monitoring.WebhookDisabled && hook.Disabled == "":
		hook.Disabled = paused
	}
}

// hasLostLists reports whether a webhook has no watch-list left because all of its lists were deleted.
func hasLostLists(hook *store.Webhook) bool { return hook.Lists != nil && len(hook.Lists) == 0 }

// toAPI returns a webhook in the form of the API.
func (w *Webhooks) toAPI(hook *store.Webhook) monitoring.Webhook {
	s := monitoring.Webhook{
		ID: hook.ID, URL: hook.URL, Watchlists: hook.Lists, Events: hook.Kinds.Kinds(), State: monitoring.WebhookActive,
		KeyID: history.OrNone(hook.Key), FailingSince: history.OrNone(hook.FailingSince), CreatedAt: hook.CreatedAt,
	}
	if hook.Disabled != "" {
		s.State, s.Reason = monitoring.WebhookDisabled, &hook.Disabled
	}
	if k, err := w.open(hook); err == nil {
		s.OldSecretUntil = history.OrNone(k.oldUntil(time.Now()).UTC())
	}

	return s
}

// Webhooks implements monitoring.Webhooks.
func (w *Webhooks) Webhooks(ctx context.Context, account string) ([]monitoring.Webhook, error) {
	hooks, err := w.o.Store.Webhooks(ctx, account)
	all := make([]monitoring.Webhook, len(hooks))
	for i := range hooks {
		all[i] = w.toAPI(&hooks[i])
	}

	return all, err
}

// Webhook implements monitoring.Webhooks.
func (w *Webhooks) Webhook(ctx context.Context, account string, id monitoring.WebhookID) (monitoring.Webhook, error) {
	hook, err := w.o.Store.Webhook(ctx, account, string(id))
	if err != nil {
		return monitoring.Webhook{}, err
	}
	return w.toAPI(&hook), nil
}

// ChangeWebhook implements monitoring.Webhooks.
func (w *Webhooks) ChangeWebhook(ctx context.Context, account string, id monitoring.WebhookID,
	change monitoring.WebhookChange) (monitoring.Webhook, error) {
	if change.URL != "" {
		if err := w.accept(ctx, change.URL); err != nil {
			return monitoring.Webhook{}, err
		}
	}

	hook, err := w.o.Store.ChangeWebhook(ctx, account, string(id), time.Now(), func(hook *store.Webhook) error {
		apply(hook, change)
		if hook.Disabled == "" && hasLostLists(hook) {
			return monitoring.ErrNoWatchlist
		}
		return nil
	})
	if err != nil {
		return monitoring.Webhook{}, err
	}

	w.resume(&hook)
	return w.toAPI(&hook), nil
}

// resume ends the pause of a webhook, so that its deliveries are sent now.
func (w *Webhooks) resume(hook *store.Webhook) {
	w.Wake()
	if d := w.leading.Load(); d != nil {
		d.resume(hook.Ordinal)
	}
}

// DeleteWebhook implements monitoring.Webhooks.
func (w *Webhooks) DeleteWebhook(ctx context.Context, account string, id monitoring.WebhookID) error {
	return w.o.Store.DeleteWebhook(ctx, account, string(id))
}

// RotateWebhookSecret implements monitoring.Webhooks.
func (w *Webhooks) RotateWebhookSecret(ctx context.Context, account string,
	id monitoring.WebhookID) (monitoring.NewWebhookSecret, error) {
	var k keys
	now := time.Now()
	_, err := w.o.Store.ChangeWebhook(ctx, account, string(id), now, func(hook *store.Webhook) error {
		old, err := w.open(hook)
		if err != nil { // the installation's secret was changed, so a new one is needed
			w.o.Logger.Warn("decrypting the secrets of a webhook failed; replacing them", "webhook", hook.ID, "error", err)
		}

		k = old.rotate(now)
		return w.seal(hook, k)
	})
	if err != nil {
		return monitoring.NewWebhookSecret{}, err
	}

	return monitoring.NewWebhookSecret{Secret: k.text(), OldSecretUntil: watch.InSeconds(now.Add(overlap))}, nil
}
