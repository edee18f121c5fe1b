package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

type listDeliveriesInput struct {
	ID     WebhookID     `arg:"id" in:"path" doc:"Id of the webhook, as GET /v1/webhooks lists it." example:"wh_lkfdz3l5nnc5veeb2xezf5ygyx"`
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
