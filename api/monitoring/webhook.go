package monitoring

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Webhooks sends events to accounts' endpoints according to the Standard Webhooks specification. The error for a
// webhook that the account does not have is ErrUnknown; other refusals are problems.
type Webhooks interface {
	// CreateWebhook creates a webhook, and returns its secret.
	CreateWebhook(ctx context.Context, account string, settings WebhookChange) (NewWebhook, error)
	// Webhooks returns the webhooks of an account, the oldest first, never nil.
	Webhooks(ctx context.Context, account string) ([]Webhook, error)
	// Webhook returns one webhook.
	Webhook(ctx context.Context, account string, id WebhookID) (Webhook, error)
	// ChangeWebhook applies the settings that are not nil or empty.
	ChangeWebhook(ctx context.Context, account string, id WebhookID, change WebhookChange) (Webhook, error)
	// DeleteWebhook deletes a webhook with its deliveries.
	DeleteWebhook(ctx context.Context, account string, id WebhookID) error
	// RotateWebhookSecret gives a webhook a new secret. For another day, messages are signed with both secrets.
	RotateWebhookSecret(ctx context.Context, account string, id WebhookID) (NewWebhookSecret, error)
	// TestWebhook sends an event at once, and returns the endpoint's response.
	TestWebhook(ctx context.Context, account string, id WebhookID) (WebhookTest, error)
	// Deliveries returns a page of deliveries, the newest first, before a cursor of the feed; nil for the first page.
	Deliveries(ctx context.Context, account string, id WebhookID, before *EventCursor, state DeliveryState,
		limit int) (DeliveryPage, error)
	// RetryDelivery makes a delivery due now.
	RetryDelivery(ctx context.Context, account string, id WebhookID, event EventID) error
	// Replay queues the events after a cursor of the feed again.
	Replay(ctx context.Context, account string, id WebhookID, after EventCursor) (WebhookReplay, error)
}

// The problems of webhooks, besides those of the store.
var (
	ErrNoDelivery = problem.NotFound.New("the webhook has no such delivery; GET /v1/webhooks/{id}/deliveries lists " +
		"the deliveries of the last 30 days, and POST /v1/webhooks/{id}/replay sends older events again")
	ErrWebhookDisabled = op.Malformed(problem.NotOneOf,
		"the webhook is disabled, so nothing is sent; make it active first: PATCH /v1/webhooks/{id} with "+
			"{\"state\": \"active\"}", "an active webhook")
	ErrWebhookUntried = op.Malformed(problem.NotOneOf,
		"the endpoint has not accepted an event at this URL yet, so none are replayed; send a test event first: "+
			"POST /v1/webhooks/{id}/test", "a webhook whose endpoint has answered 2xx")
	ErrNoWatchlist = op.Malformed(problem.NotOneOf,
		"the webhook's watch-lists have been deleted, so there is nothing to send; also send watchlists: "+
			"other ids, or an empty list for all", "watchlists")
)

// TooManyWebhooks is the problem of an account that has the maximum number of webhooks.
func TooManyWebhooks(most int) *problem.Problem {
	return op.Malformed(problem.TooMany, "the account has %d webhooks, the maximum; change or delete one (GET "+
		"/v1/webhooks lists them)", "fewer webhooks", most)
}

// TooManyReplays is the problem of an account that has replayed the maximum number of events today.
func TooManyReplays(most int, wait time.Duration) *problem.Problem {
	return problem.RateLimited.New("this account has replayed %d events today (UTC), the maximum; GET /v1/events "+
		"returns them all, or wait for the time in Retry-After", most).After(wait)
}

// RefusedEndpoint is the problem of an endpoint that must not be called.
func RefusedEndpoint(reason string) *problem.Problem {
	return problem.Invalid(&problem.InputError{Parameter: "url", Code: problem.InvalidFormat, Reason: reason,
		Accepted: "the https URL of an endpoint on the public internet, such as https://receiver.example/hook"})
}

// UnknownWatchlist is the problem of a webhook for a watch-list that the account does not have.
func UnknownWatchlist(id string) *problem.Problem {
	return problem.Invalid(&problem.InputError{Parameter: "watchlists", Code: problem.NotOneOf,
		Received: problem.Excerpt(id),
		Accepted: "ids of the account's watch-lists, from GET /v1/watchlists; an empty list for all"})
}

// WebhookChange changes the settings of a webhook. Nil or empty settings keep their value, or the default in a new
// webhook.
type WebhookChange struct {
	URL string
	// Watchlists are the ids of the watch-lists from which events are sent. An empty list that is not nil means all
	// watch-lists.
	Watchlists []string
	Events     []EventKind
	State      WebhookState
	// Key is the id of the caller's key. It is recorded with a new URL and with the state active; empty in a browser.
	Key string
}

// Webhook is an endpoint of an account to which events are sent.
type Webhook struct {
	ID             string       `json:"id" doc:"Id of the webhook."`
	URL            string       `json:"url" doc:"URL to post events to."`
	Watchlists     []string     `json:"watchlists" nullable:"true" doc:"Ids of watch-lists whose events are sent; null for all of the account's; empty if all have been deleted."`
	Events         []EventKind  `json:"events" doc:"The kinds of events that are sent."`
	State          WebhookState `json:"state" doc:"active, or disabled: nothing is sent."`
	Reason         *string      `json:"reason" doc:"Why it is disabled: paused (by its owner), gone (the endpoint answered 410), failing (no success for three days) or no_watchlist (its watch-lists were deleted: PATCH it with the ids of others in watchlists, or with an empty list and the state active for all) or key_revoked (its key was revoked or has expired: PATCH it with the state active if it is yours). null while it is active."`
	KeyID          *string      `json:"keyId" doc:"Id of the key that set the URL or made it active last; when that key is revoked, the webhook is disabled. null for a browser."`
	FailingSince   *time.Time   `json:"failingSince" doc:"The first failure since the last success, UTC; null for none."`
	OldSecretUntil *time.Time   `json:"oldSecretUntil" doc:"When the previous secret stops signing, UTC; null if only the current one signs."`
	CreatedAt      time.Time    `json:"createdAt" doc:"When it was created, UTC."`
}

// NewWebhook is a new webhook with its secret, which is shown only once.
type NewWebhook struct {
	Webhook
	Secret string `json:"secret" doc:"The signing key: whsec_ and base64. Keep it: it is not shown again."`
}

// NewWebhookSecret is a new secret, which is shown only once.
type NewWebhookSecret struct {
	Secret         string    `json:"secret" doc:"The new signing key: whsec_ and base64. Keep it: it is not shown again."`
	OldSecretUntil time.Time `json:"oldSecretUntil" doc:"When the old secret stops signing, UTC."`
}

// WebhookTest is an endpoint's response to a test event.
type WebhookTest struct {
	Event      string  `json:"event" doc:"Id of the event sent: the header webhook-id."`
	Delivered  bool    `json:"delivered" doc:"Whether it was accepted."`
	Status     *int    `json:"status" doc:"HTTP status of the answer; null if there was none."`
	Failure    *string `json:"failure" doc:"Why it failed; null if it was delivered."`
	DurationMs int64   `json:"durationMs" doc:"Duration in milliseconds."`
}

// WebhookReplay is the result of a replay.
type WebhookReplay struct {
	Queued     int         `json:"queued" doc:"Number of events queued."`
	NextCursor EventCursor `json:"nextCursor" doc:"Cursor of the last one: replay after it to continue."`
	HasMore    bool        `json:"hasMore" doc:"Whether there may be events after it."`
}

// Delivery is an event queued for a webhook, with the outcome of the last attempt.
type Delivery struct {
	Event      string        `json:"event" doc:"Id of the event (header webhook-id); identifies the delivery."`
	Type       EventKind     `json:"type" doc:"Kind of event."`
	TaxID      *ro.CUI       `json:"taxId" doc:"The company; null for an event not about a company."`
	Cursor     EventCursor   `json:"cursor" doc:"Its position in the feed."`
	State      DeliveryState `json:"state" doc:"pending: to be attempted. delivered: the endpoint answered 2xx. failed: given up."`
	Tries      int           `json:"tries" doc:"Attempts so far."`
	CreatedAt  time.Time     `json:"createdAt" doc:"When it was queued, UTC."`
	LastTryAt  *time.Time    `json:"lastTryAt" doc:"When it was last attempted, UTC; null if never."`
	NextTryAt  *time.Time    `json:"nextTryAt" doc:"Time of the next attempt, UTC; null once settled."`
	LastStatus *int          `json:"lastStatus" doc:"Status of the last answer; null if there was none."`
	Failure    *string       `json:"failure" doc:"Why the last attempt failed; null if not."`
	DurationMs *int64        `json:"durationMs" doc:"Duration of the last attempt in milliseconds; null if there was none."`
}

// DeliveryPage is a page of the deliveries of a webhook.
type DeliveryPage struct {
	Items      []Delivery   `json:"items" doc:"Newest first."`
	NextCursor *EventCursor `json:"nextCursor" doc:"before=<nextCursor> continues with older ones; null on the last page."`
	HasMore    bool         `json:"hasMore" doc:"Whether there are older ones."`
}

// WebhookState states whether events are sent.
type WebhookState string

// The states of a webhook.
const (
	WebhookActive   WebhookState = "active"
	WebhookDisabled WebhookState = "disabled"
)

// UnmarshalText parses a state.
func (s *WebhookState) UnmarshalText(text []byte) (err error) {
	*s, err = op.OneOf(text, WebhookActive, WebhookDisabled)
	return err
}

// Schema lists the states.
func (WebhookState) Schema() jsonschema.Schema {
	return jsonschema.Enum(WebhookActive, WebhookDisabled)
}

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	Pending   DeliveryState = "pending"
	Delivered DeliveryState = "delivered"
	Failed    DeliveryState = "failed"
)

// UnmarshalText parses a state.
func (s *DeliveryState) UnmarshalText(text []byte) (err error) {
	*s, err = op.OneOf(text, Pending, Delivered, Failed)
	return err
}

// Schema lists the states.
func (DeliveryState) Schema() jsonschema.Schema { return jsonschema.Enum(Pending, Delivered, Failed) }

// WebhookID is the id of a webhook. A malformed id is treated as an unknown one.
type WebhookID string

// UnmarshalText accepts any text.
func (i *WebhookID) UnmarshalText(text []byte) error {
	*i = WebhookID(text)
	return nil
}

// Schema describes an id.
func (WebhookID) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string"} }

// EventID is the id of an event. A malformed id is treated as an unknown one.
type EventID string

// UnmarshalText accepts any text.
func (i *EventID) UnmarshalText(text []byte) error {
	*i = EventID(text)
	return nil
}

// Schema describes an id.
func (EventID) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string"} }

// WebhookURL is the URL of an endpoint. Webhooks decides whether it may be called.
type WebhookURL string

// UnmarshalText drops surrounding space.
func (u *WebhookURL) UnmarshalText(text []byte) error {
	*u = WebhookURL(strings.TrimSpace(string(text)))
	return nil
}

// Schema describes a URL.
func (WebhookURL) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: 2_000}
}

// WebhookLists are ids of watch-lists; an empty list means all, and nil an absent parameter.
type WebhookLists []string

// UnmarshalText parses a JSON array of texts, or one id.
func (l *WebhookLists) UnmarshalText(text []byte) error {
	*l = WebhookLists{}
	if !strings.HasPrefix(string(text), "[") {
		*l = append(*l, string(text))
		return nil
	}
	if json.Unmarshal(text, (*[]string)(l)) != nil || len(*l) > op.MaxListItems {
		return &problem.InputError{Code: problem.InvalidType,
			Accepted: "a list of at most 100 ids of watch-lists; an empty one for all"}
	}

	return nil
}

// Schema describes the list.
func (WebhookLists) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}
}

// webhookProblem turns an error of Webhooks into a problem.
func webhookProblem(ctx context.Context, id WebhookID, err error) error {
	return op.StoreProblem(ctx, err, func() *problem.Problem {
		return problem.NotFound.New("the account has no webhook %s; GET /v1/webhooks lists its webhooks",
			problem.Quoted(string(id)))
	}, "webhooks cannot be read or changed right now; try again shortly")
}
