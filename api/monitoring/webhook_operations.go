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
	Events     op.Array[EventKind] `arg:"events" doc:"Kinds of events to send. Default: all kinds about companies except company.contact.changed, company.seat.expired, company.seat.renewed and company.statement.absent, and watchlist.unpaid." example:"[\"company.vat.cancelled\"]"`
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

type updateWebhookInput struct {
	webhookInput
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
