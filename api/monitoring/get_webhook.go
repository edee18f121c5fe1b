package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type webhookInput struct {
	ID WebhookID `arg:"id" in:"path" doc:"Id of the webhook, as GET /v1/webhooks lists it." example:"wh_lkfdz3l5nnc5veeb2xezf5ygyx"`
}

// GetWebhook returns the operation get_webhook.
func GetWebhook(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_webhook", Method: "GET", Path: "/v1/webhooks/{id}", Tag: tag.Webhooks, Account: true,
		Title:       "Get a webhook",
		Description: "A webhook of the account, without its secret: whether it is active, and when it began to fail.",
		Errors:      []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in webhookInput) (op.Answer[Webhook], error) {
		w, err := webhooks.Webhook(ctx, caller.Account(), in.ID)
		return op.Answer[Webhook]{Value: w}, webhookProblem(ctx, in.ID, err)
	})
}
