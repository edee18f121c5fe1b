package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type updateWebhookInput struct {
	ID         WebhookID           `arg:"id" in:"path" doc:"Id of the webhook, as GET /v1/webhooks lists it." example:"wh_lkfdz3l5nnc5veeb2xezf5ygyx"`
	URL        WebhookURL          `arg:"url" max:"2000" doc:"URL to post events to from now on, including waiting ones." example:"https://receiver.example/hook"`
	Watchlists WebhookLists        `arg:"watchlists" doc:"Ids of watch-lists whose events are sent; an empty list for all of them." example:"[\"wl_aaaaaaaaaaaaaaaaaaaaaaaaaa\"]"`
	Events     op.Array[EventKind] `arg:"events" doc:"Kinds of events to send." example:"[\"company.vat.cancelled\"]"`
	State      WebhookState        `arg:"state" doc:"disabled to pause; active to resume, beginning with the waiting deliveries."`
}

// UpdateWebhook returns the operation update_webhook.
func UpdateWebhook(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "update_webhook", Method: "PATCH", Path: "/v1/webhooks/{id}", Tag: tag.Webhooks, Account: true,
		Mutates: true,
		Title:   "Update a webhook",
		Description: "Changes only the settings that are sent. Events that happen while the webhook is disabled are " +
			"not queued: POST /v1/webhooks/{id}/replay sends them afterwards.",
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in updateWebhookInput) (op.Answer[Webhook], error) {
		w, err := webhooks.ChangeWebhook(ctx, caller.Account(), in.ID,
			WebhookChange{URL: string(in.URL), Watchlists: in.Watchlists, Events: in.Events, State: in.State,
				Key: caller.KeyID()})
		return op.Answer[Webhook]{Value: w}, webhookProblem(ctx, in.ID, err)
	})
}
