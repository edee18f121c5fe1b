package monitoring

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type retryDeliveryInput struct {
	ID       WebhookID `arg:"id" in:"path" doc:"Id of the webhook, as GET /v1/webhooks lists it." example:"wh_lkfdz3l5nnc5veeb2xezf5ygyx"`
	Delivery EventID   `arg:"delivery" in:"path" doc:"Id of the event, as listed in deliveries." example:"evt_0000000000d2s0000000000001"`
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
