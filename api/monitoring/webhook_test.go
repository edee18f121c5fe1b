package monitoring

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

// fakeWebhooks has the webhook wh_1 with one delivery, or fails.
type fakeWebhooks struct {
	err     error
	changed WebhookChange
}

var exampleWebhook = Webhook{ID: "wh_1", URL: "https://receiver.example/hook",
	Events:    []EventKind{VATCancelled},
	State:     WebhookActive,
	CreatedAt: time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)}

// known returns the error for a webhook.
func (f *fakeWebhooks) known(id WebhookID) error {
	if f.err == nil && id != "wh_1" {
		return op.ErrUnknown
	}
	return f.err
}

func (f *fakeWebhooks) CreateWebhook(_ context.Context, _ string, c WebhookChange) (NewWebhook,
	error) {
	f.changed = c
	return NewWebhook{Webhook: exampleWebhook, Secret: "whsec_secret"}, f.err
}

func (f *fakeWebhooks) Webhooks(context.Context, string) ([]Webhook, error) {
	return []Webhook{exampleWebhook}, f.err
}

func (f *fakeWebhooks) Webhook(_ context.Context, _ string, id WebhookID) (Webhook, error) {
	return exampleWebhook, f.known(id)
}

func (f *fakeWebhooks) ChangeWebhook(_ context.Context, _ string, id WebhookID,
	c WebhookChange) (Webhook, error) {
	f.changed = c
	return exampleWebhook, f.known(id)
}

func (f *fakeWebhooks) DeleteWebhook(_ context.Context, _ string, id WebhookID) error {
	return f.known(id)
}

func (f *fakeWebhooks) RotateWebhookSecret(_ context.Context, _ string,
	id WebhookID) (NewWebhookSecret, error) {
	return NewWebhookSecret{Secret: "whsec_secret"}, f.known(id)
}

func (f *fakeWebhooks) TestWebhook(_ context.Context, _ string, id WebhookID) (WebhookTest,
	error) {
	return WebhookTest{Event: "evt_test", Delivered: true}, f.known(id)
}

func (f *fakeWebhooks) Deliveries(_ context.Context, _ string, id WebhookID, _ *EventCursor,
	_ DeliveryState,
	_ int) (DeliveryPage, error) {
	return DeliveryPage{Items: []Delivery{{Event: "evt_1", Type: VATCancelled,
		State: Delivered}}}, f.known(id)
}

func (f *fakeWebhooks) RetryDelivery(_ context.Context, _ string, id WebhookID,
	event EventID) error {
	if event != "evt_1" {
		return ErrNoDelivery
	}
	return f.known(id)
}

func (f *fakeWebhooks) Replay(_ context.Context, _ string, id WebhookID,
	after EventCursor) (WebhookReplay, error) {
	return WebhookReplay{Queued: 1, NextCursor: after}, f.known(id)
}

// Problems of webhooks explain how to fix the call.
func TestProblemsOfWebhooks(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		detail string
	}{
		"unknown":     {op.ErrUnknown, 404, "GET /v1/webhooks lists"},
		"no delivery": {ErrNoDelivery, 404, "/replay"},
		"untried":     {ErrWebhookUntried, 400, "POST /v1/webhooks/{id}/test"},
		"replayed too much": {TooManyReplays(10_000, time.Hour), 429,
			"replayed 10000 events today"},
		"disabled":          {ErrWebhookDisabled, 400, `{"state": "active"}`},
		"no watch-list":     {ErrNoWatchlist, 400, "also send watchlists"},
		"too many":          {TooManyWebhooks(20), 400, "has 20 webhooks"},
		"refused":           {RefusedEndpoint("its host is localhost"), 400, "url: its host is localhost"},
		"unknown watchlist": {UnknownWatchlist("wl_x"), 400, "wl_x"},
		"store down":        {errors.New("disk I/O error"), 503, "try again"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeWebhooks{err: c.err}
			reply := gateway.New(t).Do(t.Context(), CreateWebhook(f),
				&op.Call{Authorization: "Bearer " + gateway.GoodKey,
					Args: op.Args{{Name: "url", Text: "https://receiver.example/hook"}}})
			if reply.Status != c.status || !strings.Contains(reply.Problem.Detail, c.detail) {
				t.Errorf("%d %q", reply.Status, reply.Problem.Detail)
			}
		})
	}
}

func TestCursorsOfOthersAreRefused(t *testing.T) {
	foreign, _ := EventCursor{Feed: FeedOf("another"), Number: 1}.MarshalText()
	for _, c := range []struct {
		o         *op.Operation
		parameter string
	}{{ReplayWebhook(&fakeWebhooks{}), "after"}, {ListDeliveries(&fakeWebhooks{}), "before"}} {
		reply := gateway.New(t).Do(t.Context(), c.o,
			&op.Call{Authorization: "Bearer " + gateway.GoodKey,
				Args: op.Args{{Name: "id", Text: "wh_1"}, {Name: c.parameter, Text: string(foreign)}}})
		if reply.Status != 400 || !strings.Contains(reply.Problem.Detail, "another account") {
			t.Errorf("%s: %d", c.o.Name, reply.Status)
		}
	}
}

func TestChangesOfWebhooks(t *testing.T) {
	for name, c := range map[string]struct {
		arg   op.Arg
		right func(WebhookChange) bool
	}{
		"absent": {op.Arg{Name: "state", Text: "disabled"}, func(c WebhookChange) bool {
			return c.Watchlists == nil && c.State == WebhookDisabled
		}},
		"all lists": {op.Arg{Name: "watchlists", Text: "[…]", Literal: true, JSON: "[]"},
			func(c WebhookChange) bool {
				return c.Watchlists != nil && len(c.Watchlists) == 0
			}},
		"one list": {op.Arg{Name: "watchlists", Text: "[…]", Literal: true, JSON: `["wl_a"]`}, func(c WebhookChange) bool {
			return len(c.Watchlists) == 1
		}},
		"events": {op.Arg{Name: "events", Text: "[…]", Literal: true, JSON: `["company.name.changed"]`},
			func(c WebhookChange) bool {
				return len(c.Events) == 1 && c.Events[0] == NameChanged
			}},
	} {
		f := &fakeWebhooks{}
		reply := gateway.New(t).Do(t.Context(), UpdateWebhook(f),
			&op.Call{Authorization: "Bearer " + gateway.GoodKey, Args: op.Args{{Name: "id", Text: "wh_1"}, c.arg}})
		if reply.Status != 200 || !c.right(f.changed) {
			t.Errorf("%s: %d %+v", name, reply.Status, f.changed)
		}
	}
}
