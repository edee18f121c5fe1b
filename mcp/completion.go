package mcp

import (
	"cmp"
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

// completions maps the name of an argument to the operation that lists its values, and to the arguments of that call
// besides q. An argument has the same meaning in every prompt and resource.
var completions = map[string]struct {
	operation string
	args      op.Args
}{
	"cui":      {"suggest_companies", nil},
	"code":     {"search_caen_codes", op.Args{{Name: "limit", Text: "100"}}},
	"currency": {"get_fx_rates", nil},
}

func (c completer) complete(ctx context.Context, a protocol.CompleteArgument) *protocol.Completion {
	none := &protocol.Completion{Values: []string{}}
	known, ok := completions[a.Name]
	x := exchangeOf(ctx)
	args := known.args
	if a.Name != "currency" {
		ok, args = ok && a.Value != "", append(slices.Clip(args), op.Arg{Name: "q", Text: a.Value})
	}
	if !ok {
		return none
	}

	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	call := c.call(x.r, args, nil)
	call.Caller = x.caller
	reply := c.Gateway.Do(ctx, c.tools[known.operation].Operation, call)
	var found struct {
		Items []struct { // each has one of the members
			TaxID          json.Number
			Code, Currency string
		}
	}
	if reply.Problem != nil || json.Unmarshal(reply.Document.JSON, &found) != nil {
		return none
	}

	values := make([]string, 0, len(found.Items))
	for _, i := range found.Items {
		value := cmp.Or(i.TaxID.String(), i.Code, i.Currency)
		begun := a.Name != "currency" || strings.HasPrefix(value, strings.ToUpper(a.Value))
		if begun && value != "" && !slices.Contains(values, value) && len(values) < maxCompletions {
			values = append(values, value)
		}
	}

	return &protocol.Completion{Values: values, Total: len(values)}
}
