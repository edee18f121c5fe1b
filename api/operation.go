package api

import (
	"context"
	"encoding"
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// Spec says what an operation is. All texts are for people and language models.
type Spec struct {
	// Name is the operation's name in logs and metrics, and its tool's in MCP.
	Name string
	// Method and Path are its REST route; {braces} hold arguments.
	Method, Path string
	// Tag groups operations in the description.
	Tag string
	// Title is a few words; Description says what it does, when to use it, when
	// to use another, what it costs, how fresh it is, what "nothing" means.
	Title, Description string
	// Tool says that the operation is also an MCP tool.
	Tool bool
	// OpenWorld says that it reaches registries whose content is not ours.
	OpenWorld bool
	// Cost is the price of an answer, in credits; 0 is free.
	Cost int
	// Entitlement is what the caller's plan must include; empty for none.
	Entitlement metering.Entitlement
	// Account says that only an account may call: with a key, or from a browser
	// with a session. The answer is personal: nobody keeps a copy.
	Account bool
	// OwnPages says that browsers may call only from pages of the service's own
	// origin, or of one that it trusts. Programs that are no browsers may call.
	OwnPages bool
	// Unmetered exempts the operation from rate limits: for probes.
	Unmetered bool
	// Success is the status of a success; 0 means 200.
	Success int
	// Media is the media type of a success whose body is a File; empty for JSON.
	Media string
	// Errors are the problems that it may answer with, beyond the ones that any
	// operation has: invalid-request, unauthorized, rate-limited, internal.
	Errors []*problem.Kind
}

// Operation is one thing that the service does for a caller: a value that says
// what it is, a type that says what it takes, a function that does it.
type Operation struct {
	Spec
	binding binding
	output  Schema
	bind    func(inPath Arg, others Args) (any, error)
	run     func(_ context.Context, _ account.Caller, bound any, reply *Reply) error
}

// Answer is what an operation's function gives.
type Answer[Out any] struct {
	Value Out
	// Document is the Value encoded, when the registry keeps it so; otherwise
	// the gateway encodes the Value.
	Document *Document
	Freshness
}

// Define makes an operation of a specification and a function. The fields of In
// carry tags that say how arguments become values; see binding.
func Define[In, Out any](spec Spec, run func(context.Context, account.Caller, In) (Answer[Out], error)) *Operation {
	if spec.Success == 0 {
		spec.Success = http.StatusOK
	}
	op := &Operation{Spec: spec, binding: newBinding(reflect.TypeFor[In]()), output: outputSchema(reflect.TypeFor[Out]())}
	if op.HasBody() { // bodies are read by their types, tools and queries by their texts
		op.binding.quoteTexts()
	}
	type room struct {
		in     In
		fields []encoding.TextUnmarshaler // of in
		args   [1]Arg
		text   [32]byte
	}
	defaults := op.binding.defaults.Interface().(In)
	rooms := sync.Pool{New: func() any {
		r := new(room)
		r.fields = fieldsOf(reflect.ValueOf(&r.in).Elem())
		return r
	}}
	op.bind = func(inPath Arg, args Args) (any, error) {
		r := rooms.Get().(*room)
		r.in = defaults
		if inPath.Name != "" {
			args = append(append(r.args[:0], inPath), args...)
		}
		return r, op.binding.bind(r.fields, args, r.text[:0])
	}
	op.run = func(ctx context.Context, caller account.Caller, bound any, reply *Reply) error {
		r := bound.(*room)
		in := r.in
		rooms.Put(r)
		answer, err := run(ctx, caller, in)
		if err != nil {
			return err
		}
		reply.Document, reply.Freshness = answer.Document, answer.Freshness
		if reply.Document != nil || op.Success == http.StatusNoContent {
			return nil
		}
		if reply.Document, err = EncodeDocument(answer.Value); err != nil {
			return fmt.Errorf("encoding the answer of %s: %w", op.Name, err)
		}
		return nil
	}
	return op
}

// outputSchema is the schema of an answer, which is never null: a pointer only
// spares a large one from being copied.
func outputSchema(t reflect.Type) Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return SchemaOf(t)
}

// Params are the operation's parameters, in the order in which they are shown.
func (op *Operation) Params() []Param { return op.binding.params }

// Input is the schema of the arguments as one flat object.
func (op *Operation) Input() Schema {
	s := Schema{Type: "object", Properties: []Property{}, Closed: true}
	for _, p := range op.binding.params {
		s.Properties = append(s.Properties, Property{p.Name, p.Schema})
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	return s
}

// Output is the schema of the answer.
func (op *Operation) Output() Schema { return op.output }

// HasBody says that the arguments come in the request's body, as a JSON object.
func (op *Operation) HasBody() bool {
	return op.Method == http.MethodPost && len(op.binding.params) > 0
}

// Problems are all the kinds of problem that the operation answers with, in the
// order of status.
func (op *Operation) Problems() []*problem.Kind {
	declared := map[*problem.Kind]bool{problem.InvalidRequest: true, problem.Unauthorized: true, problem.RateLimited: !op.Unmetered, problem.Internal: true}
	if op.Unmetered {
		delete(declared, problem.Unauthorized)
	}
	for _, k := range op.Errors {
		declared[k] = true
	}
	if op.Account {
		declared[problem.Unavailable], declared[problem.Forbidden] = true, op.Method != http.MethodGet
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
