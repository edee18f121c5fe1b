package api

import (
	"reflect"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

// apiWebhooks describes the events that the service posts to accounts' endpoints.
func apiWebhooks(c *components) *object {
	header := func(name, description string) *object {
		return parameter("header", name, true, description, jsonschema.Schema{Type: "string"})
	}
	answers := members(
		"2XX", members("description", "Delivered."),
		"410", members("description", "The endpoint is gone: the webhook is disabled."),
		"4XX", members("description", "Failed: the event is sent again later."),
		"5XX", members("description", "Failed: the event is sent again later, after any time in Retry-After."),
	)

	return members("event", members("post", members(
		"operationId", "receive_event",
		"summary", "An event",
		"description", "Posted to a webhook, signed as Standard Webhooks specifies. Events are delivered at least "+
			"once: the id reveals duplicates.",
		"tags", []string{"Watching"},
		"security", []*object{},
		"parameters", []*object{
			header("webhook-id", "Event id, the same for every attempt."),
			header("webhook-timestamp", "Attempt time, in Unix seconds."),
			header("webhook-signature", "v1, and the base64 HMAC-SHA256 of id.timestamp.body; during a rotation, two "+
				"of them, separated by a space."),
		},
		"requestBody", members("required", true, "content",
			members(op.JSONType, withExample(members("schema",
				c.refer(jsonschema.Of(reflect.TypeFor[monitoring.Event]()))),
				firstItem(exampleOf("list_changes"))))),
		"responses", answers,
	)))
}
