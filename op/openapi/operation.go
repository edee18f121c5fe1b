package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

func (c *components) paths() *object {
	paths, ops := new(object), c.contract.Operations
	for i, operation := range ops {
		if slices.IndexFunc(ops, func(o *op.Operation) bool { return o.Path == operation.Path }) < i {
			continue // the first operation of its path declares it
		}

		path := new(object)
		for _, o := range ops {
			if o.Path == operation.Path {
				path.Add(strings.ToLower(o.Method), c.operation(o))
			}
		}

		paths.Add(operation.Path, path)
	}

	for _, callback := range c.contract.Callbacks {
		paths.Add(callback.Path, members(strings.ToLower(callback.Method), c.callback(callback)))
	}

	return paths
}

func (c *components) operation(operation *op.Operation) *object {
	o := head(operation)
	switch {
	case operation.HasBody():
		if parameters := c.besideBody(operation); len(parameters) > 0 {
			o.Add("parameters", parameters)
		}

		content := new(object)
		if !operation.TakesFile() {
			content.Add(op.JSONType, members("schema", c.refer(c.jsonBody(operation))))
		}

		for _, p := range operation.Params() {
			if p.Media != "" {
				content.Add(p.Media, members("schema",
					jsonschema.Schema{Type: "string", Format: p.Schema.Format, Description: p.Schema.Description}))
			}
		}

		if operation.TakesFile() {
			content.Add(op.MultipartType, members("schema", c.contract.Upload.form()))
		}

		o.Add("requestBody", members("required", operation.NeedsBody() || operation.Method == http.MethodPost,
			"content", content))
	case len(operation.Params()) > 0:
		parameters := c.parameters(operation, func(op.Param) bool { return true })
		if operation.IsFollowable() {
			parameters = append(parameters, followParameters()...)
		}

		parameters = append(parameters, c.exportParameters(operation)...)
		o.Add("parameters", parameters)
	}

	o.Add("responses", c.responsesOf(operation))
	return o
}

// head has the members common to operations and callbacks.
func head(operation *op.Operation) *object {
	o := members(
		"operationId", operation.Name,
		"summary", operation.Title,
		"description", operation.Description,
		"tags", []string{operation.Tag.Name},
		"x-credits-cost", operation.Cost,
	)
	if operation.Tool {
		o.Add("x-mcp-tool", operation.ToolID())
	}

	switch {
	case operation.Unmetered:
		o.Add("security", []*object{})
	case operation.Account:
		ways := []*object{members("key", []string{}), members("keyHeader", []string{}), members("session", []string{})}
		if operation.Guests {
			ways = append(ways, members())
		}
		o.Add("security", ways)
	}

	return o
}

func (c *components) callback(callback *op.Callback) *object {
	o := head(callback.Operation)
	o.Add("parameters", []*object{parameter("header", callback.Signature, true, "The sender's signature of the body.",
		jsonschema.Schema{Type: "string"})})
	o.Add("requestBody", members("required", true, "content",
		members(op.JSONType, members("schema", jsonschema.Schema{Type: "object"}))))
	o.Add("responses", c.responsesOf(callback.Operation))
	return o
}

// jsonBody is the schema of a JSON body.
func (c *components) jsonBody(o *op.Operation) jsonschema.Schema {
	s := jsonschema.Schema{Name: c.pascal(o.Name) + "Request", Type: "object", Properties: []jsonschema.Property{},
		Closed: true}
	for _, p := range o.Params() {
		if p.InPath || p.Media != "" {
			continue
		}

		s.Properties = append(s.Properties, jsonschema.Property{Name: p.Name, Schema: p.Schema})
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}

	return s
}
