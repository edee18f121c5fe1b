package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/op"
)

// completer suggests values while a person fills in an argument of a prompt or of a resource template. It calls the
// operations, with their limits; if one fails, the list is empty.
type completer struct{ *Handler }

// maxCompletions is the maximum number of values that the protocol allows.
const maxCompletions = 100

// CompletePromptArgument suggests values for a prompt's argument.
func (c completer) CompletePromptArgument(ctx context.Context, _ string, a protocol.CompleteArgument,
	_ protocol.CompleteContext) (*protocol.Completion, error) {
	return c.complete(ctx, a), nil
}

// CompleteResourceArgument suggests values for a parameter of a resource template.
func (c completer) CompleteResourceArgument(ctx context.Context, _ string, a protocol.CompleteArgument,
	_ protocol.CompleteContext) (*protocol.Completion, error) {
	return c.complete(ctx, a), nil
}

// completions maps arguments to operations that know their values: the query, and the member of an item that is the
// value. An argument has the same meaning everywhere.
var completions = map[string]struct {
	operation string
	ask       func(typed string) op.Args
	value     func(item) string
}{
	"cui": {"suggest_companies",
		func(typed string) op.Args { return op.Args{{Name: "q", Text: typed}} },
		func(i item) string { return i.TaxID.String() }},
	"code": {"search_caen_codes",
		func(typed string) op.Args { return op.Args{{Name: "q", Text: typed}, {Name: "limit", Text: "100"}} },
		func(i item) string { return i.Code }},
	"currency": {"get_fx_rates",
		func(string) op.Args { return nil },
		func(i item) string { return i.Currency }},
}

// item is an item of any of these answers.
type item struct {
	TaxID          json.Number
	Code, Currency string
}

func (c completer) complete(ctx context.Context, a protocol.CompleteArgument) *protocol.Completion {
	none := &protocol.Completion{Values: []string{}}
	how, known := completions[a.Name]
	x := exchangeOf(ctx)
	if !known || a.Value == "" && a.Name != "currency" {
		return none
	}

	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	call := c.call(x.r, how.ask(a.Value), nil)
	call.Caller = x.caller
	reply := c.Gateway.Do(ctx, c.tools[how.operation].Operation, call)
	var found struct{ Items []item }
	if reply.Problem != nil || json.Unmarshal(reply.Document.JSON, &found) != nil {
		return none
	}

	values := make([]string, 0, len(found.Items))
	for _, i := range found.Items {
		value := how.value(i)
		begun := a.Name != "currency" || strings.HasPrefix(value, strings.ToUpper(a.Value))
		if begun && value != "" && !slices.Contains(values, value) && len(values) < maxCompletions {
			values = append(values, value)
		}
	}

	return &protocol.Completion{Values: values, Total: len(values)}
}
