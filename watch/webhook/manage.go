package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/weburl"
	"github.com/rodata/rodata/watch"
	"github.com/rodata/rodata/watch/store"
)

var _ api.Webhooks = (*Webhooks)(nil)

// resolving is the time limit for resolving an endpoint's name. After it, the endpoint is accepted unresolved.
const resolving = 3 * time.Second

// paused is the reason recorded for a webhook that its owner has disabled.
const paused = "paused"

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
	ctx, cancel := context.WithTimeout(ctx, resolving)
	defer cancel()
	if refused := (*weburl.Forbidden)(nil); errors.As(w.o.Endpoints.Resolve(ctx, url), &refused) {
		if refused.Detail != "" {
			w.o.Logger.Debug("the endpoint of a webhook is refused", "detail", refused.Detail)
		}
		return &api.WebhookRefused{Reason: refused.Reason}
	}

	return nil
}

// CreateWebhook implements api.Webhooks.
func (w *Webhooks) CreateWebhook(ctx context.Context, account string,
	settings api.WebhookChange) (api.NewWebhook, error) {
	if err := w.accept(ctx, settings.URL); err != nil {
		return api.NewWebhook{}, err
	}

	hook := store.Webhook{
		ID: "wh_" + strings.ToLower(rand.Text()), Account: account, Kinds: api.DefaultEvents,
		CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
	settle(&hook, settings)
	k := newKeys()
	if err := w.seal(&hook, k); err != nil {
		return api.NewWebhook{}, err
	}
	if err := w.o.Store.AddWebhook(ctx, hook, w.o.Most); err != nil {
		return api.NewWebhook{}, err
	}

	return api.NewWebhook{Webhook: w.shown(&hook), Secret: k.text()}, nil
}

// settle applies the given settings.
func settle(hook *store.Webhook, c api.WebhookChange) {
	hook.URL = cmp.Or(c.URL, hook.URL)
	switch {
	case len(c.Watchlists) > 0:
		hook.Lists = c.Watchlists
		if hook.Disabled == store.NoWatchlist {
			hook.Disabled = ""
		}
	case c.Watchlists != nil && (c.State == api.WebhookActive || !without(hook)):
		// An empty list means all watch-lists. But if the webhook's lists were deleted, an empty list may just repeat
		// the current value. Such a webhook starts to receive the events of all lists only if it is also activated.
		hook.Lists = nil
	}

	if len(c.Events) > 0 {
		hook.Kinds = api.SetOf(c.Events...)
	}

	switch {
	case c.State == api.WebhookActive:
		hook.Disabled, hook.FailingSince = "", time.Time{}
	case c.State == api.WebhookDisabled && hook.Disabled == "":
		hook.Disabled = paused
	}
}

// without reports whether a webhook has no watch-list left because all of its lists were deleted.
func without(hook *store.Webhook) bool { return hook.Lists != nil && len(hook.Lists) == 0 }

// shown returns a webhook in the form for its owner.
func (w *Webhooks) shown(hook *store.Webhook) api.Webhook {
	s := api.Webhook{
		ID: hook.ID, URL: hook.URL, Watchlists: hook.Lists, Events: hook.Kinds.Kinds(), State: api.WebhookActive,
		FailingSince: history.OrNone(hook.FailingSince), CreatedAt: hook.CreatedAt,
	}
	if hook.Disabled != "" {
		s.State, s.Reason = api.WebhookDisabled, &hook.Disabled
	}
	if k, err := w.open(hook); err == nil {
		s.OldSecretUntil = history.OrNone(k.oldUntil(time.Now()).UTC())
	}

	return s
}

// Webhooks implements api.Webhooks.
func (w *Webhooks) Webhooks(ctx context.Context, account string) ([]api.Webhook, error) {
	hooks, err := w.o.Store.Webhooks(ctx, account)
	all := make([]api.Webhook, len(hooks))
	for i := range hooks {
		all[i] = w.shown(&hooks[i])
	}

	return all, err
}

// Webhook implements api.Webhooks.
func (w *Webhooks) Webhook(ctx context.Context, account string, id api.WebhookID) (api.Webhook, error) {
	hook, err := w.o.Store.Webhook(ctx, account, string(id))
	if err != nil {
		return api.Webhook{}, err
	}
	return w.shown(&hook), nil
}

// ChangeWebhook implements api.Webhooks.
func (w *Webhooks) ChangeWebhook(ctx context.Context, account string, id api.WebhookID,
	change api.WebhookChange) (api.Webhook, error) {
	if change.URL != "" {
		if err := w.accept(ctx, change.URL); err != nil {
			return api.Webhook{}, err
		}
	}

	hook, err := w.o.Store.ChangeWebhook(ctx, account, string(id), time.Now(), func(hook *store.Webhook) error {
		settle(hook, change)
		if hook.Disabled == "" && without(hook) {
			return api.ErrNoWatchlist
		}
		return nil
	})
	if err != nil {
		return api.Webhook{}, err
	}

	w.hurry(&hook)
	return w.shown(&hook), nil
}

// hurry sends the due deliveries of a webhook now.
func (w *Webhooks) hurry(hook *store.Webhook) {
	w.Wake()
	if d := w.leading.Load(); d != nil {
		d.hurry(hook.Ordinal)
	}
}

// DeleteWebhook implements api.Webhooks.
func (w *Webhooks) DeleteWebhook(ctx context.Context, account string, id api.WebhookID) error {
	return w.o.Store.DeleteWebhook(ctx, account, string(id))
}

// RotateWebhookSecret implements api.Webhooks.
func (w *Webhooks) RotateWebhookSecret(ctx context.Context, account string,
	id api.WebhookID) (api.NewWebhookSecret, error) {
	var k keys
	now := time.Now()
	_, err := w.o.Store.ChangeWebhook(ctx, account, string(id), now, func(hook *store.Webhook) error {
		old, err := w.open(hook)
		if err != nil { // the installation's secret was changed, so a new one is needed
			w.o.Logger.Warn("the secrets of a webhook cannot be read; they are replaced", "webhook", hook.ID, "error", err)
		}

		k = old.rotate(now)
		return w.seal(hook, k)
	})
	if err != nil {
		return api.NewWebhookSecret{}, err
	}

	return api.NewWebhookSecret{Secret: k.text(), OldSecretUntil: watch.InSeconds(now.Add(overlap))}, nil
}

// testEvent is the type of the event that TestWebhook sends. It does not appear in feeds.
const testEvent api.EventKind = "webhook.test"

// TestWebhook implements api.Webhooks.
func (w *Webhooks) TestWebhook(ctx context.Context, account string, id api.WebhookID) (api.WebhookTest, error) {
	hook, err := w.o.Store.Webhook(ctx, account, string(id))
	if err != nil {
		return api.WebhookTest{}, err
	}

	now := time.Now()
	e := watch.Event{At: now, Type: testEvent, Severity: api.Low, Source: api.EventSource{Name: "rodata"}}
	sample := e.In(watch.Place{Feed: api.FeedOf(account)})
	sample.ID = "evt_test" + strings.ToLower(rand.Text())
	a := w.attempt(ctx, &hook, store.Delivery{Event: sample})
	return api.WebhookTest{
		Event: sample.ID, Delivered: a.failure == "", Status: history.OrNone(a.status),
		Failure: history.OrNone(a.failure), DurationMs: a.duration.Milliseconds(),
	}, nil
}

// Deliveries implements api.Webhooks.
func (w *Webhooks) Deliveries(
	ctx context.Context, account string, id api.WebhookID, before *api.EventCursor, state api.DeliveryState, limit int,
) (api.DeliveryPage, error) {
	hook, err := w.o.Store.Webhook(ctx, account, string(id))
	if err != nil {
		return api.DeliveryPage{}, err
	}
	if before == nil {
		before = &api.EventCursor{Number: math.MaxInt64, List: math.MaxInt64}
	}

	all, err := w.o.Store.Deliveries(ctx, &hook, *before, state, limit+1)
	if err != nil {
		return api.DeliveryPage{}, err
	}

	page := api.DeliveryPage{Items: make([]api.Delivery, 0, limit), HasMore: len(all) > limit}
	for i := range all[:min(len(all), limit)] {
		page.Items = append(page.Items, shownDelivery(account, &all[i]))
	}
	if page.HasMore {
		page.NextCursor = &page.Items[limit-1].Cursor
	}

	return page, nil
}

func shownDelivery(account string, v *store.Delivery) api.Delivery {
	s := api.Delivery{
		Event: watch.EventID(v.Number, v.List), Type: v.Event.Type, TaxID: v.Event.Data.TaxID, State: api.Pending,
		Tries: v.Tries, Cursor: api.EventCursor{Feed: api.FeedOf(account), Number: v.Number, List: v.List},
		LastStatus: history.OrNone(v.Status), Failure: history.OrNone(v.Failure),
		CreatedAt: v.CreatedAt, LastTryAt: history.OrNone(v.At), NextTryAt: history.OrNone(v.DueAt),
	}
	switch {
	case v.Delivered:
		s.State = api.Delivered
	case v.DueAt.IsZero():
		s.State = api.Failed
	}

	if !v.At.IsZero() {
		s.DurationMs = new(v.Duration.Milliseconds())
	}

	return s
}

// RetryDelivery implements api.Webhooks.
func (w *Webhooks) RetryDelivery(ctx context.Context, account string, id api.WebhookID, event api.EventID) error {
	hook, err := w.active(ctx, account, id)
	if err != nil {
		return err
	}

	number, list, ok := watch.ParseEventID(string(event))
	if !ok {
		return api.ErrNoDelivery
	}
	if err := w.o.Store.RetryDelivery(ctx, &hook, number, list, time.Now()); err != nil {
		return err
	}

	w.hurry(&hook)
	return nil
}

// active returns a webhook that is not disabled.
func (w *Webhooks) active(ctx context.Context, account string, id api.WebhookID) (store.Webhook, error) {
	hook, err := w.o.Store.Webhook(ctx, account, string(id))
	if err == nil && hook.Disabled != "" {
		err = api.ErrWebhookDisabled
	}
	return hook, err
}

// mostReplayed is the maximum number of events queued by one replay.
const mostReplayed = 10_000

// Replay implements api.Webhooks.
func (w *Webhooks) Replay(ctx context.Context, account string, id api.WebhookID,
	after api.EventCursor) (api.WebhookReplay, error) {
	hook, err := w.active(ctx, account, id)
	if err != nil {
		return api.WebhookReplay{}, err
	}

	queued, last, err := w.o.Store.Replay(ctx, &hook, after, time.Now(), mostReplayed)
	if err != nil {
		return api.WebhookReplay{}, err
	}

	w.hurry(&hook)
	return api.WebhookReplay{Queued: queued, NextCursor: last, HasMore: queued == mostReplayed}, nil
}
