package monitoring

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// DeleteWebhook returns the operation delete_webhook.
func DeleteWebhook(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "delete_webhook", Method: "DELETE", Path: "/v1/webhooks/{id}", Tag: tag.Webhooks, Account: true,
		Mutates: true, Destructive: true, Success: http.StatusNoContent,
		Title: "Delete a webhook",
		Description: "Deletes one of the account's webhooks with its deliveries, including pending ones. The events " +
			"remain in the feed.",
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in webhookInput) (op.Answer[struct{}], error) {
		return op.Answer[struct{}]{}, webhookProblem(ctx, in.ID, webhooks.DeleteWebhook(ctx, caller.Account(), in.ID))
	})
}
