package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// WebhookList is the webhooks of an account.
type WebhookList struct {
	Webhooks []Webhook `json:"webhooks" doc:"Oldest first."`
}

// ListWebhooks returns the operation list_webhooks.
func ListWebhooks(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "list_webhooks", Method: "GET", Path: "/v1/webhooks", Tag: tag.Webhooks, Account: true,
		Title:       "List webhooks",
		Description: "Webhooks of the caller's account, oldest first, without their secrets.",
		Errors:      []*problem.Kind{problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, _ struct{}) (op.Answer[WebhookList], error) {
		all, err := webhooks.Webhooks(ctx, caller.Account())
		return op.Answer[WebhookList]{Value: WebhookList{all}}, webhookProblem(ctx, "", err)
	})
}
