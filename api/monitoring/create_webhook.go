package monitoring

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type createWebhookInput struct {
	URL        WebhookURL          `arg:"url" required:"true" max:"2000" doc:"An https URL on the public internet to post events to, without user and password." example:"https://receiver.example/hook"`
	Watchlists WebhookLists        `arg:"watchlists" doc:"Ids of the watch-lists whose events to send. Default: all of the account's, even later ones." example:"[\"wl_aaaaaaaaaaaaaaaaaaaaaaaaaa\"]"`
	Events     op.Array[EventKind] `arg:"events" doc:"Kinds of events to send. Default: all kinds about companies except company.contact.changed, and watchlist.unpaid." example:"[\"company.vat.cancelled\"]"`
}

// CreateWebhook returns the operation create_webhook.
func CreateWebhook(webhooks Webhooks) *op.Operation {
	return op.Define(op.Spec{
		Name: "create_webhook", Method: "POST", Path: "/v1/webhooks", Tag: tag.Webhooks, Account: true,
		Success: http.StatusCreated, Mutates: true,
		Title: "Create a webhook",
		Description: "Posts events of the account's watch-lists to an endpoint, signed as specified by Standard " +
			"Webhooks. The secret is shown only in this answer and when it is rotated. An event is sent until the " +
			"endpoint answers 2xx: at once, after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours, always " +
			"with the same webhook-id. Redirects are not followed; a 410 or three days without a success disable the " +
			"webhook. Deliveries are free.",
		Errors: []*problem.Kind{problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in createWebhookInput) (op.Answer[NewWebhook], error) {
		made, err := webhooks.CreateWebhook(ctx, caller.Account(),
			WebhookChange{URL: string(in.URL), Watchlists: in.Watchlists, Events: in.Events, Key: caller.KeyID()})
		return op.Answer[NewWebhook]{Value: made}, webhookProblem(ctx, "", err)
	})
}
