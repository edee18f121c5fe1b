package api

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
)

// fakeWebhooks has the webhook wh_1 with one delivery, or fails.
type fakeWebhooks struct {
	err     error
	changed monitoring.WebhookChange
}

var exampleWebhook = monitoring.Webhook{ID: "wh_1", URL: "https://receiver.example/hook",
	Events:    []monitoring.EventKind{monitoring.VATCancelled},
	State:     monitoring.WebhookActive,
	CreatedAt: time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)}

// known returns the error for a webhook.
func (f *fakeWebhooks) known(id monitoring.WebhookID) error {
	if f.err == nil && id != "wh_1" {
		return op.ErrUnknown
	}
	return f.err
}

func (f *fakeWebhooks) CreateWebhook(_ context.Context, _ string, c monitoring.WebhookChange) (monitoring.NewWebhook,
	error) {
	f.changed = c
	return monitoring.NewWebhook{Webhook: exampleWebhook, Secret: "whsec_secret"}, f.err
}

func (f *fakeWebhooks) Webhooks(context.Context, string) ([]monitoring.Webhook, error) {
	return []monitoring.Webhook{exampleWebhook}, f.err
}

func (f *fakeWebhooks) Webhook(_ context.Context, _ string, id monitoring.WebhookID) (monitoring.Webhook, error) {
	return exampleWebhook, f.known(id)
}

func (f *fakeWebhooks) ChangeWebhook(_ context.Context, _ string, id monitoring.WebhookID,
	c monitoring.WebhookChange) (monitoring.Webhook, error) {
	f.changed = c
	return exampleWebhook, f.known(id)
}

func (f *fakeWebhooks) DeleteWebhook(_ context.Context, _ string, id monitoring.WebhookID) error {
	return f.known(id)
}

func (f *fakeWebhooks) RotateWebhookSecret(_ context.Context, _ string,
	id monitoring.WebhookID) (monitoring.NewWebhookSecret, error) {
	return monitoring.NewWebhookSecret{Secret: "whsec_secret"}, f.known(id)
}

func (f *fakeWebhooks) TestWebhook(_ context.Context, _ string, id monitoring.WebhookID) (monitoring.WebhookTest,
	error) {
	return monitoring.WebhookTest{Event: "evt_test", Delivered: true}, f.known(id)
}

func (f *fakeWebhooks) Deliveries(_ context.Context, _ string, id monitoring.WebhookID, _ *monitoring.EventCursor,
	_ monitoring.DeliveryState,
	_ int) (monitoring.DeliveryPage, error) {
	return monitoring.DeliveryPage{Items: []monitoring.Delivery{{Event: "evt_1", Type: monitoring.VATCancelled,
		State: monitoring.Delivered}}}, f.known(id)
}

func (f *fakeWebhooks) RetryDelivery(_ context.Context, _ string, id monitoring.WebhookID,
	event monitoring.EventID) error {
	if event != "evt_1" {
		return monitoring.ErrNoDelivery
	}
	return f.known(id)
}

func (f *fakeWebhooks) Replay(_ context.Context, _ string, id monitoring.WebhookID,
	after monitoring.EventCursor) (monitoring.WebhookReplay, error) {
	return monitoring.WebhookReplay{Queued: 1, NextCursor: after}, f.known(id)
}

// Problems of webhooks explain how to fix the call.
func TestProblemsOfWebhooks(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		detail string
	}{
		"unknown":     {op.ErrUnknown, 404, "GET /v1/webhooks lists"},
		"no delivery": {monitoring.ErrNoDelivery, 404, "/replay"},
		"untried":     {monitoring.ErrWebhookUntried, 400, "POST /v1/webhooks/{id}/test"},
		"replayed too much": {&monitoring.TooManyReplays{Most: 10_000, RetryAfter: time.Hour}, 429,
			"replayed 10000 events today"},
		"disabled":      {monitoring.ErrWebhookDisabled, 400, `{"state": "active"}`},
		"no watch-list": {monitoring.ErrNoWatchlist, 400, "also send watchlists"},
		"too many":      {&monitoring.WebhooksFull{Most: 20}, 400, "has 20 webhooks"},
		"refused": {&monitoring.WebhookRefused{Reason: "its host is localhost"}, 400,
			"url: its host is localhost"},
		"unknown watchlist": {&monitoring.UnknownWatchlist{ID: "wl_x"}, 400, "wl_x"},
		"store down":        {errors.New("disk I/O error"), 503, "try again"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeWebhooks{err: c.err}
			reply := newGateway(t).Do(t.Context(), monitoring.CreateWebhook(f),
				&op.Call{Authorization: "Bearer " + goodKey,
					Args: op.Args{{Name: "url", Text: "https://receiver.example/hook"}}})
			if reply.Status != c.status || !strings.Contains(reply.Problem.Detail, c.detail) {
				t.Errorf("%d %q", reply.Status, reply.Problem.Detail)
			}
		})
	}
}

func TestCursorsOfOthersAreRefused(t *testing.T) {
	foreign, _ := monitoring.EventCursor{Feed: monitoring.FeedOf("another"), Number: 1}.MarshalText()
	for _, c := range []struct {
		o         *op.Operation
		parameter string
	}{{monitoring.ReplayWebhook(&fakeWebhooks{}), "after"}, {monitoring.ListDeliveries(&fakeWebhooks{}), "before"}} {
		reply := newGateway(t).Do(t.Context(), c.o,
			&op.Call{Authorization: "Bearer " + goodKey,
				Args: op.Args{{Name: "id", Text: "wh_1"}, {Name: c.parameter, Text: string(foreign)}}})
		if reply.Status != 400 || !strings.Contains(reply.Problem.Detail, "another account") {
			t.Errorf("%s: %d", c.o.Name, reply.Status)
		}
	}
}

func TestChangesOfWebhooks(t *testing.T) {
	for name, c := range map[string]struct {
		arg   op.Arg
		right func(monitoring.WebhookChange) bool
	}{
		"absent": {op.Arg{Name: "state", Text: "disabled"}, func(c monitoring.WebhookChange) bool {
			return c.Watchlists == nil && c.State == monitoring.WebhookDisabled
		}},
		"all lists": {op.Arg{Name: "watchlists", Text: "[…]", Literal: true, JSON: "[]"},
			func(c monitoring.WebhookChange) bool {
				return c.Watchlists != nil && len(c.Watchlists) == 0
			}},
		"one list": {op.Arg{Name: "watchlists", Text: "[…]", Literal: true, JSON: `["wl_a"]`}, func(c monitoring.WebhookChange) bool {
			return len(c.Watchlists) == 1
		}},
		"events": {op.Arg{Name: "events", Text: "[…]", Literal: true, JSON: `["company.name.changed"]`},
			func(c monitoring.WebhookChange) bool {
				return len(c.Events) == 1 && c.Events[0] == monitoring.NameChanged
			}},
	} {
		f := &fakeWebhooks{}
		reply := newGateway(t).Do(t.Context(), monitoring.UpdateWebhook(f),
			&op.Call{Authorization: "Bearer " + goodKey, Args: op.Args{{Name: "id", Text: "wh_1"}, c.arg}})
		if reply.Status != 200 || !c.right(f.changed) {
			t.Errorf("%s: %d %+v", name, reply.Status, f.changed)
		}
	}
}

// cursorOf returns the cursor of the first event in an account's feed.
func cursorOf(account string) string {
	text, _ := monitoring.EventCursor{Feed: monitoring.FeedOf(account), Number: 1}.MarshalText()
	return string(text)
}
