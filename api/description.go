package api

import (
	"reflect"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/openapi"
)

// Version is the version of the contract in the OpenAPI description. A change that existing clients would notice
// requires a new version.
const Version = "1.3.0"

// NewDescription describes operations and callbacks in OpenAPI.
func NewDescription(ops []*op.Operation, callbacks ...*op.Callback) *openapi.Description {
	return openapi.New(openapi.Contract{
		Info: info, Operations: ops, Callbacks: callbacks, Tags: tag.All,
		Webhooks: []openapi.Webhook{eventWebhook()}, Upload: jobUpload,
		Problem: lists.ProblemSchema(), ProblemExample: problemExample, Example: describedExample,
		Initialisms: map[string]string{"caen": "CAEN", "vat": "VAT", "fx": "FX", "pdf": "PDF", "json": "JSON"},
	})
}

var info = openapi.Info{
	Title:   "rodata: Romanian public data",
	Version: Version,
	Summary: "Companies, CAEN Rev.3, counties and localities, official exchange rates.",
	Description: "One gateway to the Romanian tax authority (ANAF), trade register (ONRC) and central bank (BNR). " +
		"The same operations are MCP tools at /mcp, with the same validation, cost and limits. " +
		"Every error is a problem object (application/problem+json); its type is the URL of a page that explains it.",
	License: "Apache-2.0",
}

// jobUpload describes the upload of a job's file.
var jobUpload = openapi.Upload{
	File: "The file; its type is taken from the part's Content-Type, or from its file extension: .csv, .xlsx, " +
		".ndjson or .json.",
	IdempotencyKey: "Your own text for each upload, such as a UUID: repeating the upload returns the same job.",
	Prefer:         "wait=10 waits up to 10 seconds for the job to end (RFC 7240); at most 30.",
	Ended:          "The job has already ended (Prefer: wait).",
}

// eventWebhook describes the events that the service posts to accounts' endpoints.
func eventWebhook() openapi.Webhook {
	return openapi.Webhook{
		Name: "event", OperationID: "receive_event", Summary: "An event", Tag: tag.Watching,
		Description: "Posted to a webhook, signed as Standard Webhooks specifies. Events are delivered at least once: " +
			"the id reveals duplicates.",
		Headers: []openapi.Text{
			{Name: "webhook-id", Description: "Event id, the same for every attempt."},
			{Name: "webhook-timestamp", Description: "Attempt time, in Unix seconds."},
			{Name: "webhook-signature", Description: "v1, and the base64 HMAC-SHA256 of id.timestamp.body; during a " +
				"rotation, two of them, separated by a space."},
		},
		Body: jsonschema.Of(reflect.TypeFor[monitoring.Event]()), ListedBy: "list_changes",
		Answers: []openapi.Text{
			{Name: "2XX", Description: "Delivered."},
			{Name: "410", Description: "The endpoint is gone: the webhook is disabled."},
			{Name: "4XX", Description: "Failed: the event is sent again later."},
			{Name: "5XX", Description: "Failed: the event is sent again later, after any time in Retry-After."},
		},
	}
}
