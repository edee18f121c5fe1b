package monitoring

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

type listDeliveriesInput struct {
	webhookInput
	State  DeliveryState `arg:"state" doc:"Only deliveries in this state."`
	Before PlaceBefore   `arg:"before" doc:"nextCursor of the previous page, for older ones."`
	Limit  op.Limit      `arg:"limit" default:"25" doc:"Page size, 1 to 100."`
}

// PlaceBefore is the cursor before which a page ends. A nil cursor means that the parameter is absent.
type PlaceBefore struct{ *EventCursor }

// UnmarshalText parses a cursor.
func (p *PlaceBefore) UnmarshalText(text []byte) error {
	p.EventCursor = new(EventCursor)
	return p.EventCursor.UnmarshalText(text)
}

// Schema describes the format of a cursor.
func (PlaceBefore) Schema() jsonschema.Schema { return EventCursor{}.Schema() }

// ListDeliveries returns the operation list_webhook_deliveries.
func ListDeliveries(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "list_webhook_deliveries", Method: "GET", Path: "/v1/webhooks/{id}/deliveries", Tag: tag.Webhooks,
		Account: true,
		Title:   "List a webhook's deliveries",
		Description: "Deliveries of the last 30 days, newest first: the event, the number of attempts, the time of " +
			"the next one, the endpoint's last answer, and why it failed.",
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in listDeliveriesInput) (op.Answer[DeliveryPage], error) {
		if in.Before.EventCursor != nil && in.Before.Feed != FeedOf(caller.Account()) {
			return op.Answer[DeliveryPage]{}, foreignCursor("before")
		}

		page, err := webhooks.Deliveries(ctx, caller.Account(), in.ID, in.Before.EventCursor, in.State, int(in.Limit))
		return op.Answer[DeliveryPage]{Value: page}, webhookProblem(ctx, in.ID, err)
	})
}

type retryDeliveryInput struct {
	webhookInput
	Delivery EventID `arg:"delivery" in:"path" doc:"Id of the event, as listed in deliveries." example:"evt_0000000000d2s0000000000001"`
}

// RetryDelivery returns the operation retry_webhook_delivery.
func RetryDelivery(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "retry_webhook_delivery", Method: "POST", Path: "/v1/webhooks/{id}/deliveries/{delivery}/retry",
		Tag: tag.Webhooks, Account: true,
		Mutates: true, Success: http.StatusNoContent,
		Title: "Retry a delivery",
		Description: "Sends an event again now, even if it was already delivered, with the same webhook-id. If that " +
			"fails, its schedule of attempts restarts.",
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in retryDeliveryInput) (op.Answer[struct{}], error) {
		err := webhooks.RetryDelivery(ctx, caller.Account(), in.ID, in.Delivery)
		return op.Answer[struct{}]{}, webhookProblem(ctx, in.ID, err)
	})
}

type replayWebhookInput struct {
	webhookInput
	After EventCursor `arg:"after" required:"true" doc:"The cursor of the last event received, or nextCursor of the feed or of a replay." example:"AAAAAAAAAAAAAAAB8g4k2Qh7c3E"`
}

// ReplayWebhook returns the operation replay_webhook.
func ReplayWebhook(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "replay_webhook", Method: "POST", Path: "/v1/webhooks/{id}/replay", Tag: tag.Webhooks, Account: true,
		Mutates: true,
		Title:   "Replay events",
		Description: "Queues the events after a cursor that match the webhook's settings, delivered or not: up to " +
			"10,000 a day for an account, with the same webhook-id as before. The endpoint must have accepted an " +
			"event at its URL; POST /v1/webhooks/{id}/test sends one. " +
			"Use it after the webhook was disabled, or if the endpoint lost events. Events are kept for 90 days.",
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in replayWebhookInput) (op.Answer[WebhookReplay], error) {
		if in.After.Feed != FeedOf(caller.Account()) {
			return op.Answer[WebhookReplay]{}, foreignCursor("after")
		}

		replay, err := webhooks.Replay(ctx, caller.Account(), in.ID, in.After)
		return op.Answer[WebhookReplay]{Value: replay}, webhookProblem(ctx, in.ID, err)
	})
}

// foreignCursor is the problem of a cursor from the feed of another account.
func foreignCursor(parameter string) error {
	return problem.Invalid(&problem.InputError{Parameter: parameter, Code: problem.InvalidFormat,
		Accepted: "a cursor of this account's feed",
		Reason: "the cursor belongs to another account's feed or to GET /v1/changes; use one that GET /v1/events " +
			"returned to this account"})
}

// SendTestEvent returns the operation test_webhook.
func SendTestEvent(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "test_webhook", Method: "POST", Path: "/v1/webhooks/{id}/test", Tag: tag.Webhooks, Account: true,
		Mutates: true,
		Title:   "Test a webhook",
		Description: "Sends a signed event of the type webhook.test to the endpoint now, once, and returns its answer. " +
			"It also works while the webhook is disabled. The answer takes as long as the endpoint's, at most 20 " +
			"seconds.",
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in webhookInput) (op.Answer[WebhookTest], error) {
		test, err := webhooks.TestWebhook(ctx, caller.Account(), in.ID)
		return op.Answer[WebhookTest]{Value: test}, webhookProblem(ctx, in.ID, err)
	})
}
