package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/rodata/rodata/op/jsonschema"
)

func apiPaths(c *components, ops []*Operation, callbacks []*Callback) *object {
	paths := new(object)
	for i, op := range ops {
		if slices.IndexFunc(ops, func(o *Operation) bool { return o.Path == op.Path }) < i {
			continue // the first operation of its path declares it
		}

		path := new(object)
		for _, o := range ops {
			if o.Path == op.Path {
				path.Add(strings.ToLower(o.Method), apiOperation(c, o))
			}
		}

		paths.Add(op.Path, path)
	}

	for _, callback := range callbacks {
		paths.Add(callback.Path, members(strings.ToLower(callback.Method), apiCallback(c, callback)))
	}

	return paths
}

func apiOperation(c *components, op *Operation) *object {
	o := apiHead(op)
	switch {
	case op.HasBody():
		if parameters := besideBody(c, op); len(parameters) > 0 {
			o.Add("parameters", parameters)
		}

		content := new(object)
		if !op.TakesFile() {
			content.Add(JSONType, members("schema", c.refer(op.jsonBody())))
		}

		for _, p := range op.Params() {
			if p.Media != "" {
				content.Add(p.Media, members("schema",
					jsonschema.Schema{Type: "string", Format: p.Schema.Format, Description: p.Schema.Description}))
			}
		}

		if op.TakesFile() {
			content.Add(MultipartType, members("schema", fileForm))
		}

		o.Add("requestBody", members("required", op.NeedsBody() || op.Method == http.MethodPost, "content", content))
	case len(op.Params()) > 0:
		parameters := apiParameters(c, op, func(Param) bool { return true })
		if op.Followable() {
			parameters = append(parameters, followParameters()...)
		}

		parameters = append(parameters, exportParameters(c, op)...)
		o.Add("parameters", parameters)
	}

	o.Add("responses", apiResponses(c, op))
	return o
}

// apiHead has the members common to operations and callbacks.
func apiHead(op *Operation) *object {
	o := members(
		"operationId", op.Name,
		"summary", op.Title,
		"description", op.Description,
		"tags", []string{op.Tag},
		"x-credits-cost", op.Cost,
	)
	if op.Tool {
		o.Add("x-mcp-tool", op.ToolID())
	}

	switch {
	case op.Unmetered:
		o.Add("security", []*object{})
	case op.Account:
		o.Add("security", []*object{members("key", []string{}), members("keyHeader", []string{}),
			members("session", []string{})})
	}

	return o
}

func apiCallback(c *components, callback *Callback) *object {
	o := apiHead(callback.Operation)
	o.Add("parameters", []*object{parameter("header", callback.Signature, true, "The sender's signature of the body.",
		jsonschema.Schema{Type: "string"})})
	o.Add("requestBody", members("required", true, "content",
		members(JSONType, members("schema", jsonschema.Schema{Type: "object"}))))
	o.Add("responses", apiResponses(c, callback.Operation))
	return o
}

// jsonBody is the schema of a JSON body.
func (op *Operation) jsonBody() jsonschema.Schema {
	s := jsonschema.Schema{Name: pascal(op.Name) + "Request", Type: "object", Properties: []jsonschema.Property{},
		Closed: true}
	for _, p := range op.Params() {
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
