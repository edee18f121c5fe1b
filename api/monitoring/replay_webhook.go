package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type replayWebhookInput struct {
	ID    WebhookID   `arg:"id" in:"path" doc:"Id of the webhook, as GET /v1/webhooks lists it." example:"wh_lkfdz3l5nnc5veeb2xezf5ygyx"`
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
