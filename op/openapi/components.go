package openapi

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// components are the named parts of an OpenAPI description, each written once and referenced elsewhere, so that
// generated clients have one type per object.
type components struct {
	contract  *Contract
	schemas   map[string]jsonschema.Schema
	responses map[string]*object
	problems  map[string]*object // examples of problems, by slug
}

func newComponents(contract *Contract) *components {
	return &components{contract, make(map[string]jsonschema.Schema), make(map[string]*object),
		make(map[string]*object)}
}

// refer returns the schema with every named schema replaced by a reference, and adds the named schemas to the
// components.
func (c *components) refer(s jsonschema.Schema) jsonschema.Schema { return s.WithReferences(c.keep) }

// keep adds a component without the parts that differ between uses, such as the description. These are written beside
// each reference.
func (c *components) keep(s jsonschema.Schema) {
	s.Description, s.Nullable = "", false
	if other, known := c.schemas[s.Name]; known && !bytes.Equal(jsontext.MustEncode(other), jsontext.MustEncode(s)) {
		panic("openapi: two different schemas are named " + s.Name)
	}

	c.schemas[s.Name] = s
}

// response returns a reference to the component that describes the problems with a status.
func (c *components) response(status problemStatus) *object {
	var names []string
	for _, k := range status.kinds {
		names = append(names, c.pascal(k.Slug))
	}

	name := strings.Join(names, "Or")
	if c.responses[name] == nil {
		c.responses[name] = c.problemResponse(status)
	}

	return members("$ref", "#/components/responses/"+name)
}

func (c *components) problemResponse(status problemStatus) *object {
	var meanings []string
	examples := new(object)
	for _, k := range status.kinds {
		meanings = append(meanings, k.Slug+": "+k.Meaning)
		examples.Add(k.Slug, members("$ref", "#/components/examples/"+k.Slug))
		c.problems[k.Slug] = members("summary", k.Title, "value", c.contract.ProblemExample(k))
	}

	response := members("description", strings.Join(meanings, " "))
	if headers := status.headers(); headers != nil {
		response.Add("headers", headerRefs(headers...))
	}

	response.Add("content", members(problem.ContentType,
		members("schema", c.refer(c.contract.Problem), "examples", examples)))
	return response
}

// problemStatus is the kinds of problems of an operation that share an HTTP status.
type problemStatus struct {
	code  int
	kinds []*problem.Kind
}

// statuses groups kinds by their status, in ascending order.
func statuses(kinds []*problem.Kind) []problemStatus {
	var all []problemStatus
	for _, k := range kinds {
		if n := len(all); n > 0 && all[n-1].code == k.Status {
			all[n-1].kinds = append(all[n-1].kinds, k)
		} else {
			all = append(all, problemStatus{k.Status, []*problem.Kind{k}})
		}
	}

	return all
}

// headers returns the names of the headers in a response with the status.
func (s problemStatus) headers() []string {
	switch s.code {
	case problem.RateLimited.Status:
		return []string{"Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Policy", "RateLimit"}
	case problem.Unavailable.Status:
		return []string{"Retry-After"}
	}

	return nil
}

// describe returns the components section of the description, sorted by name.
func (c *components) describe() *object {
	return members(
		"securitySchemes", securitySchemes(),
		"headers", headers(),
		"schemas", sorted(c.schemas),
		"responses", sorted(c.responses),
		"examples", sorted(c.problems),
	)
}

func sorted[T any](named map[string]T) *object {
	o := new(object)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		o.Add(name, named[name])
	}
	return o
}

// pascal converts a name with hyphens or underscores to PascalCase: not-found becomes NotFound.
func (c *components) pascal(name string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' }) {
		if upper, known := c.contract.Initialisms[word]; known {
			word = upper
		} else {
			word = strings.ToUpper(word[:1]) + word[1:]
		}

		b.WriteString(word)
	}

	return b.String()
}
