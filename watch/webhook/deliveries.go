package webhook

import (
	"context"
	"crypto/rand"
	"math"
	"strings"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/watch"
	"github.com/rodata/rodata/watch/store"
)

// testEvent is the type of the event that TestWebhook sends. It does not appear in feeds.
const testEvent monitoring.EventKind = "webhook.test"

// TestWebhook implements monitoring.Webhooks.
func (w *Webhooks) TestWebhook(ctx context.Context, account string, id monitoring.WebhookID) (monitoring.WebhookTest,
	error) {
	hook, err := w.o.Store.Webhook(ctx, account, string(id))
	if err != nil {
		return monitoring.WebhookTest{}, err
	}

	now := time.Now()
	e := watch.Event{At: now, Type: testEvent, Severity: monitoring.Low, Source: monitoring.EventSource{Name: "rodata"}}
	sample := e.In(watch.Position{Feed: monitoring.FeedOf(account)})
	sample.ID = "evt_test" + strings.ToLower(rand.Text())
	a := w.attempt(ctx, &hook, store.Delivery{Event: sample})
	if a.Delivered {
		if err := w.o.Store.SetAccepted(ctx, &hook); err != nil {
			return monitoring.WebhookTest{}, err
		}
	}

	return monitoring.WebhookTest{
		Event: sample.ID, Delivered: a.Delivered, Status: history.OrNone(a.Status),
		Failure: history.OrNone(a.Failure), DurationMs: a.Duration.Milliseconds(),
	}, nil
}

// Deliveries implements monitoring.Webhooks.
func (w *Webhooks) Deliveries(
	ctx context.Context, account string, id monitoring.WebhookID, before *monitoring.EventCursor,
	state monitoring.DeliveryState, limit int,
) (monitoring.DeliveryPage, error) {
	hook, err := w.o.Store.Webhook(ctx, account, string(id))
	if err != nil {
		return monitoring.DeliveryPage{}, err
	}
	if before == nil {
		before = &monitoring.EventCursor{Number: math.MaxInt64, List: math.MaxInt64}
	}

	all, err := w.o.Store.Deliveries(ctx, &hook, *before, state, limit+1)
	if err != nil {
		return monitoring.DeliveryPage{}, err
	}

	page := monitoring.DeliveryPage{Items: make([]monitoring.Delivery, 0, limit), HasMore: len(all) > limit}
	for i := range all[:min(len(all), limit)] {
		page.Items = append(page.Items, deliveryToAPI(account, &all[i]))
	}
	if page.HasMore {
		page.NextCursor = &page.Items[limit-1].Cursor
	}

	return page, nil
}

func deliveryToAPI(account string, v *store.Delivery) monitoring.Delivery {
	s := monitoring.Delivery{
		Event: watch.EventID(v.Number, v.List), Type: v.Event.Type, TaxID: v.Event.Data.TaxID,
		State: v.State(), Tries: v.Tries,
		Cursor:     monitoring.EventCursor{Feed: monitoring.FeedOf(account), Number: v.Number, List: v.List},
		LastStatus: history.OrNone(v.Status), Failure: history.OrNone(v.Failure),
		CreatedAt: v.CreatedAt, LastTryAt: history.OrNone(v.At), NextTryAt: history.OrNone(v.DueAt),
	}
	if !v.At.IsZero() {
		s.DurationMs = new(v.Duration.Milliseconds())
	}

	return s
}

// RetryDelivery implements monitoring.Webhooks.
func (w *Webhooks) RetryDelivery(ctx context.Context, account string, id monitoring.WebhookID,
	event monitoring.EventID) error {
	hook, err := w.active(ctx, account, id)
	if err != nil {
		return err
	}

	number, list, ok := watch.ParseEventID(string(event))
	if !ok {
		return monitoring.ErrNoDelivery
	}
	if err := w.o.Store.RetryDelivery(ctx, &hook, number, list, time.Now()); err != nil {
		return err
	}

	w.resume(&hook)
	return nil
}

// active returns a webhook that is not disabled.
func (w *Webhooks) active(ctx context.Context, account string, id monitoring.WebhookID) (store.Webhook, error) {
	hook, err := w.o.Store.Webhook(ctx, account, string(id))
	if err == nil && hook.Disabled != "" {
		err = monitoring.ErrWebhookDisabled
	}
	return hook, err
}

// maxReplayed is the maximum number of events that an account replays in a day (UTC).
const maxReplayed = 10_000

// Replay implements monitoring.Webhooks. A replay makes many requests out of one call, so it goes only to an endpoint
// that has accepted an event, and its number is limited.
func (w *Webhooks) Replay(ctx context.Context, account string, id monitoring.WebhookID,
	after monitoring.EventCursor) (monitoring.WebhookReplay, error) {
	hook, err := w.active(ctx, account, id)
	if err != nil {
		return monitoring.WebhookReplay{}, err
	}
	if !hook.Accepted {
		return monitoring.WebhookReplay{}, monitoring.ErrWebhookUntried
	}

	bucket := metering.BucketID{Account: "replays " + account}
	today, _ := w.o.Days.Take(ctx, bucket, 0, maxReplayed)
	most := today.Remaining
	taken, giveBack := w.o.Days.Take(ctx, bucket, most, maxReplayed)
	if most == 0 || !taken.OK {
		return monitoring.WebhookReplay{}, monitoring.TooManyReplays(maxReplayed, today.Reset)
	}

	queued, last, err := w.o.Store.Replay(ctx, &hook, after, time.Now(), most)
	if giveBack(most - queued); err != nil {
		return monitoring.WebhookReplay{}, err
	}

	w.resume(&hook)
	return monitoring.WebhookReplay{Queued: queued, NextCursor: last, HasMore: queued == most}, nil
}
