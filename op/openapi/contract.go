package openapi

import (
	"encoding/json"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Contract is the input of a description.
type Contract struct {
	Info Info
	// Operations are the operations, and Callbacks the routes at which other services post, both in display order.
	Operations []*op.Operation
	Callbacks  []*op.Callback
	// Tags are the groups of operations, in display order. Groups without an operation are omitted.
	Tags []op.Tag
	// Webhooks are the requests that the service sends to its clients.
	Webhooks []Webhook
	// Upload holds the texts of operations that take a file.
	Upload Upload
	// Problem describes a problem, and ProblemExample returns an example of a kind.
	Problem        jsonschema.Schema
	ProblemExample func(*problem.Kind) json.RawMessage
	// Example returns an example of an operation's answer in a media type, as JSON: the text of a textual type is
	// quoted. It returns nil for none.
	Example func(operation, media string) json.RawMessage
	// Initialisms are the lower-case words of names with a special spelling in PascalCase.
	Initialisms map[string]string
}

// Info is the description's section about the service.
type Info struct {
	Title, Version, Summary, Description string
	// License is the SPDX identifier of the licence.
	License string
}

// Upload holds the texts of operations that take a file.
type Upload struct {
	File           string // what the file may be
	IdempotencyKey string // the effect of the header
	Prefer         string // the preferences that the header may have
	Ended          string // the meaning of a 200 instead of a 202
}
