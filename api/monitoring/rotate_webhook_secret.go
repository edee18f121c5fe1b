package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// RotateWebhookSecret returns the operation rotate_webhook_secret.
func RotateWebhookSecret(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "rotate_webhook_secret", Method: "POST", Path: "/v1/webhooks/{id}/rotate", Tag: tag.Webhooks,
		Account: true,
		Mutates: true,
		Title:   "Rotate a webhook's secret",
		Description: "Gives one of the account's webhooks a new secret, which is shown only in this answer. " +
			"For 24 hours each event is also signed with the old secret, so that the endpoint can switch " +
			"without a gap.",
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in webhookInput) (op.Answer[NewWebhookSecret], error) {
		secret, err := webhooks.RotateWebhookSecret(ctx, caller.Account(), in.ID)
		return op.Answer[NewWebhookSecret]{Value: secret}, webhookProblem(ctx, in.ID, err)
	})
}
