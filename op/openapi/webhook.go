package openapi

import (
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

// Webhook is a request that the service sends to its clients.
type Webhook struct {
	// Name is its name in the description, and OperationID that of the client's operation.
	Name, OperationID    string
	Summary, Description string
	Tag                  op.Tag
	// Headers are the headers of the request, all of them texts, and Answers the meanings of the client's statuses.
	Headers, Answers []Text
	Body             jsonschema.Schema
	// ListedBy is the operation whose answer lists such bodies: the first one is the example.
	ListedBy string
}

// Text describes a header or status.
type Text struct{ Name, Description string }

func (c *components) webhook(w Webhook) *object {
	var headers []*object
	for _, h := range w.Headers {
		headers = append(headers, parameter("header", h.Name, true, h.Description, jsonschema.Schema{Type: "string"}))
	}

	answers := new(object)
	for _, a := range w.Answers {
		answers.Add(a.Name, members("description", a.Description))
	}

	return members(
		"operationId", w.OperationID,
		"summary", w.Summary,
		"description", w.Description,
		"tags", []string{w.Tag.Name},
		"security", []*object{},
		"parameters", headers,
		"requestBody", members("required", true, "content",
			members(op.JSONType, withExample(members("schema", c.refer(w.Body)),
				firstItem(c.contract.Example(w.ListedBy, op.JSONType))))),
		"responses", answers,
	)
}
