package webhook

import (
	"context"
	"crypto/rand"
	"math"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/watch"
	"github.com/rodata/rodata/watch/store"
)

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
	sample := e.In(watch.Position{Feed: api.FeedOf(account)})
	sample.ID = "evt_test" + strings.ToLower(rand.Text())
	a := w.attempt(ctx, &hook, store.Delivery{Event: sample})
	if a.failure == "" {
		if err := w.o.Store.SetAccepted(ctx, &hook); err != nil {
			return api.WebhookTest{}, err
		}
	}

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
		page.Items = append(page.Items, deliveryToAPI(account, &all[i]))
	}
	if page.HasMore {
		page.NextCursor = &page.Items[limit-1].Cursor
	}

	return page, nil
}

func deliveryToAPI(account string, v *store.Delivery) api.Delivery {
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

// maxReplayed is the maximum number of events that an account replays in a day (UTC).
const maxReplayed = 10_000

// Replay implements api.Webhooks. A replay makes many requests out of one call, so it goes only to an endpoint that has
// accepted an event, and its number is limited.
func (w *Webhooks) Replay(ctx context.Context, account string, id api.WebhookID,
	after api.EventCursor) (api.WebhookReplay, error) {
	hook, err := w.active(ctx, account, id)
	if err != nil {
		return api.WebhookReplay{}, err
	}
	if !hook.Accepted {
		return api.WebhookReplay{}, api.ErrWebhookUntried
	}

	bucket := metering.BucketID{Account: "replays " + account}
	today, _ := w.o.Days.Take(ctx, bucket, 0, maxReplayed)
	most := today.Remaining
	taken, giveBack := w.o.Days.Take(ctx, bucket, most, maxReplayed)
	if most == 0 || !taken.OK {
		return api.WebhookReplay{}, &api.TooManyReplays{Most: maxReplayed, RetryAfter: today.Reset}
	}

	queued, last, err := w.o.Store.Replay(ctx, &hook, after, time.Now(), most)
	if giveBack(most - queued); err != nil {
		return api.WebhookReplay{}, err
	}

	w.hurry(&hook)
	return api.WebhookReplay{Queued: queued, NextCursor: last, HasMore: queued == most}, nil
}
