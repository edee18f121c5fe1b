package op

import (
	"cmp"
	"context"
	"encoding"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Spec describes an operation. Its texts are for people and language models.
type Spec struct {
	// Name is the operation's name in logs, metrics and MCP.
	Name string
	// Method and Path are its REST route; {braces} hold arguments.
	Method, Path string
	// Tag is the group of the operation in the description.
	Tag Tag
	// Title is a few words. Description explains the operation, when to use it or another one, its cost, its freshness,
	// and the meaning of an empty result.
	Title, Description string
	// Tool makes the operation an MCP tool as well. ToolName is the tool's name, if it differs from the operation's.
	Tool     bool
	ToolName string
	// OpenWorld is set if the operation reaches registries.
	OpenWorld bool
	// Cost is the price of an answer in credits, or of a row if the answer is given row by row; 0 means free.
	Cost int
	// Entitlement must be part of the caller's plan; empty for none.
	Entitlement metering.Entitlement
	// Account restricts the operation to callers with an account, identified by a key or a session. The answer is
	// personal and must not be cached.
	Account bool
	// Guests is set, in addition to Account, if callers without an account may call the operation, too: at the rate
	// of anonymous callers.
	Guests bool
	// Scope is the scope that the call of an app needs. Default: account.WatchScope if the operation needs an account
	// or Mutates, otherwise account.ReadScope.
	Scope account.Scope
	// OwnPages rejects calls from browsers unless the page has the service's own origin or a trusted one. Other
	// programs may call.
	OwnPages bool
	// Unmetered exempts the operation from rate limits, for probes.
	Unmetered bool
	// Download is set, in addition to Unmetered, if the answer is a file that clients read in many small ranges. In
	// REST, these requests count against the higher rate limit of the site's pages.
	Download bool
	// ForOperators is set if the operation is for operators, such as a probe: the site's reference leaves it out.
	ForOperators bool
	// Mutates is set if the operation changes the caller's data, for the hints of MCP tools; Destructive if it also
	// removes some, such as a reference that the caller would have to send again.
	Mutates, Destructive bool
	// Success is the HTTP status of a successful call; 0 means 200.
	Success int
	// Media is the media type of an answer that is a File; empty for JSON.
	Media string
	// Alternates are the media types offered besides JSON, selected by the Accept header in REST. The answer's Renderer
	// renders them.
	Alternates []Alternate
	// TextNumbers describes whole numbers among the parameters as strings, as in an earlier contract.
	TextNumbers bool
	// Errors are the problems of the operation in addition to the problems of all operations (invalid-request,
	// unauthorized, rate-limited and internal), and to those of operations with a cost or an entitlement.
	Errors []*problem.Kind
}

// Tag is a group of operations.
type Tag struct{ Name, Description string }

// Operation is one thing that the service does for a caller: a description, a typed input and a function.
type Operation struct {
	Spec
	binding binding
	output  jsonschema.Schema
	bind    func(inPath PathArgs, others Args) (any, error)
	run     func(call *Observation, bound any) error
	rows    *byRow  // instead of run
	follow  *follow // in addition to run, if it can be followed
	sells   bool    // it charges its caller itself: see DefineSale
	exports bool    // it is an export: see DefineExport
	export  *Operation
	offers  []string // see Offers
}

// Answer is the result of an operation's function.
type Answer[Out any] struct {
	Value Out
	// Document is the encoded Value, if the registry has stored it beside the Value; otherwise the gateway encodes the
	// Value.
	Document *Document
	// Renderer renders the alternates of the operation; required if it has any.
	Renderer Renderer
	// Free reports that this answer costs nothing, whatever the operation's cost.
	Free bool
	// Status is the status of this answer; 0 for the operation's Success.
	Status int
	// Location is the path of the resource that the operation created; empty if it created none.
	Location string
	Freshness
}

// Define returns an operation with a specification and a function. The tags of In's fields define how arguments become
// values; see binding.
func Define[In, Out any](spec Spec, run func(context.Context, account.Caller, In) (Answer[Out], error)) *Operation {
	return define(spec, func(call *Observation, in In) (Answer[Out], error) {
		return run(&call.context, call.Caller, in)
	})
}

// define is Define for a function that needs more of the call.
func define[In, Out any](spec Spec, run func(call *Observation, in In) (Answer[Out], error)) *Operation {
	op := newOperation[In](spec)
	op.output = outputSchema(reflect.TypeFor[Out]())

	type room struct {
		in     In
		fields []encoding.TextUnmarshaler // of in
		args   [maxInPath]Arg
		text   [32]byte
	}

	defaults := op.binding.defaults.Interface().(In)
	rooms := sync.Pool{New: func() any {
		r := new(room)
		r.fields = op.binding.fieldsOf(reflect.ValueOf(&r.in).Elem())
		return r
	}}

	op.bind = func(inPath PathArgs, args Args) (any, error) {
		r := rooms.Get().(*room)
		r.in = defaults
		return r, op.binding.bind(r.fields, inPath.followedBy(r.args[:0], args), r.text[:0])
	}

	op.run = func(call *Observation, bound any) error {
		r := bound.(*room)
		in := r.in
		rooms.Put(r)
		answer, err := run(call, in)
		if err != nil {
			return err
		}

		reply := &call.Reply
		reply.Value, reply.Document, reply.Freshness = answer.Value, answer.Document, answer.Freshness
		reply.free, reply.status, reply.Location = answer.Free, answer.Status, answer.Location
		reply.provided = answer.Document != nil && reply.media == ""
		if reply.media != "" {
			if reply.Document, err = answer.Renderer.Render(&call.context, reply.media, reply.baseURL); err != nil {
				return fmt.Errorf("rendering the answer of %s as %s: %w", op.Name, reply.media, err)
			}
			return nil
		}
		if reply.Document != nil || op.Success == http.StatusNoContent {
			return nil
		}
		if reply.Document, err = EncodeDocument(reply.Value); err != nil {
			return fmt.Errorf("encoding the answer of %s: %w", op.Name, err)
		}

		return nil
	}

	return op
}

func newOperation[In any](spec Spec) *Operation {
	if spec.Success == 0 {
		spec.Success = http.StatusOK
	}
	if spec.Scope == "" {
		spec.Scope = account.ReadScope
		if spec.Account || spec.Mutates {
			spec.Scope = account.WatchScope
		}
	}

	op := &Operation{Spec: spec, binding: newBinding(reflect.TypeFor[In]()), offers: offers(spec)}
	if op.HasBody() { // bodies are read as their types, tools and queries as texts
		op.binding.quoteTexts()
	}

	op.bind = func(inPath PathArgs, args Args) (any, error) {
		in := op.binding.defaults.Interface().(In)
		err := op.binding.bind(op.binding.fieldsOf(reflect.ValueOf(&in).Elem()), inPath.followedBy(nil, args), nil)
		return in, err
	}

	return op
}

// outputSchema is the schema of an answer. It is never nil: the pointer only avoids copying.
func outputSchema(t reflect.Type) jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return jsonschema.Of(t)
}

// Params returns the operation's parameters in display order.
func (op *Operation) Params() []Param { return op.binding.params }

// Input returns the schema of the tool's arguments as one flat object.
func (op *Operation) Input() jsonschema.Schema {
	s := jsonschema.Schema{Type: "object", Properties: []jsonschema.Property{}, Closed: true}
	for _, p := range op.binding.params {
		if p.Media != "" {
			continue
		}

		argument := p.Schema.ForTool(MaxListItems)
		if argument.Default != "" || argument.Enum != nil {
			argument.Example = "" // one value is shown already
		}

		s.Properties = append(s.Properties, jsonschema.Property{Name: p.Name, Schema: argument})
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}

	return s
}

// Output returns the schema of the answer.
func (op *Operation) Output() jsonschema.Schema { return op.output }

// DescribeOutput replaces the schema of the answer, if its type does not describe it.
func (op *Operation) DescribeOutput(s jsonschema.Schema) { op.output = s }

// ToolID returns the name of the operation as an MCP tool.
func (op *Operation) ToolID() string { return cmp.Or(op.ToolName, op.Name) }

// HasRows reports whether the answer is given row by row: see [DefineRows].
func (op *Operation) HasRows() bool { return op.rows != nil }

// Item returns the schema of a row.
func (op *Operation) Item() jsonschema.Schema { return op.rows.item }

// RowSummary returns the schema of the summary of all rows.
func (op *Operation) RowSummary() jsonschema.Schema { return op.rows.summary }

// HasBody reports whether the request sends its arguments as a JSON object in the body, except arguments in the path.
func (op *Operation) HasBody() bool {
	switch op.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		return slices.ContainsFunc(op.binding.params, func(p Param) bool { return !p.InPath })
	}
	return false
}

// BodyParam returns the parameter for a whole body of a media type; nil for none. Some systems name CSV text/plain or
// application/vnd.ms-excel.
func (op *Operation) BodyParam(media string) *Param {
	if media == "text/plain" || media == "application/vnd.ms-excel" {
		media = "text/csv"
	}
	for i := range op.binding.params {
		if p := &op.binding.params[i]; p.Media != "" && p.Media == media {
			return p
		}
	}

	return nil
}

// TakesFile reports whether the request's body is a file, which may also be the field file of a form
// (multipart/form-data).
func (op *Operation) TakesFile() bool { return op.BodyParam(JSONType) != nil }

// NeedsBody reports whether a request must have a body, because it contains a required argument.
func (op *Operation) NeedsBody() bool {
	return op.HasBody() && slices.ContainsFunc(op.binding.params, func(p Param) bool { return p.Required && !p.InPath })
}

// Problems returns all kinds of problems of the operation, sorted by status.
func (op *Operation) Problems() []*problem.Kind {
	declared := map[*problem.Kind]bool{problem.InvalidRequest: true, problem.Unauthorized: true,
		problem.RateLimited: !op.Unmetered || op.Download, problem.Internal: true,
		problem.QuotaExhausted: op.Cost > 0, problem.EntitlementMissing: op.Entitlement != ""}
	if op.Unmetered {
		delete(declared, problem.Unauthorized)
	}

	for _, k := range op.Errors {
		declared[k] = true
	}
	if op.Account {
		declared[problem.Unavailable], declared[problem.Forbidden] = true, op.Method != http.MethodGet
	}
	if op.HasRows() && op.HasBody() {
		declared[problem.IdempotencyKeyInUse], declared[problem.IdempotencyKeyReused] = true, true
	}
	if op.HasBody() {
		declared[problem.PayloadTooLarge], declared[problem.UnsupportedMediaType] = true, true
	}

	var kinds []*problem.Kind
	for _, k := range problem.Kinds {
		if declared[k] {
			kinds = append(kinds, k)
		}
	}

	return kinds
}
