package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

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
