package api

import (
	"net/http"
	"slices"
	"strings"
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
				path.add(strings.ToLower(o.Method), apiOperation(c, o))
			}
		}

		paths.add(op.Path, path)
	}

	for _, callback := range callbacks {
		paths.add(callback.Path, members(strings.ToLower(callback.Method), apiCallback(c, callback)))
	}

	return paths
}

func apiOperation(c *components, op *Operation) *object {
	o := apiHead(op)
	switch {
	case op.HasBody():
		if parameters := besideBody(c, op); len(parameters) > 0 {
			o.add("parameters", parameters)
		}

		content := new(object)
		if !op.TakesFile() {
			content.add(jsonType, members("schema", c.refer(op.jsonBody())))
		}

		for _, p := range op.Params() {
			if p.Media != "" {
				content.add(p.Media, members("schema",
					Schema{Type: "string", Format: p.Schema.Format, Description: p.Schema.Description}))
			}
		}

		if op.TakesFile() {
			content.add(MultipartType, members("schema", fileForm))
		}

		o.add("requestBody", members("required", op.NeedsBody() || op.Method == http.MethodPost, "content", content))
	case len(op.Params()) > 0:
		parameters := apiParameters(c, op, func(Param) bool { return true })
		if op.Followable() {
			parameters = append(parameters, followParameters()...)
		}

		parameters = append(parameters, exportParameters(c, op)...)
		o.add("parameters", parameters)
	}

	o.add("responses", apiResponses(c, op))
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
		o.add("x-mcp-tool", op.ToolID())
	}

	switch {
	case op.Unmetered:
		o.add("security", []*object{})
	case op.Account:
		o.add("security", []*object{members("key", []string{}), members("keyHeader", []string{}),
			members("session", []string{})})
	}

	return o
}

func apiCallback(c *components, callback *Callback) *object {
	o := apiHead(callback.Operation)
	o.add("parameters", []*object{parameter("header", callback.Signature, true, "The sender's signature of the body.",
		Schema{Type: "string"})})
	o.add("requestBody", members("required", true, "content",
		members(jsonType, members("schema", Schema{Type: "object"}))))
	o.add("responses", apiResponses(c, callback.Operation))
	return o
}

// jsonBody is the schema of a JSON body.
func (op *Operation) jsonBody() Schema {
	s := Schema{Type: "object", Properties: []Property{}, Closed: true, Name: pascal(op.Name) + "Request"}
	for _, p := range op.binding.params {
		if p.InPath || p.Media != "" {
			continue
		}

		s.Properties = append(s.Properties, Property{p.Name, p.Schema})
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}

	return s
}
