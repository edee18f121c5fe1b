package mcp

import (
	"context"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/op/problem"
)

// prompts are the message templates that a person picks from the client's menu. Each tells the model which tools to use
// and which results matter; its text is the file of its name.
var prompts = []protocol.Prompt{
	{
		Name: "verify_supplier", Title: "Verify a Romanian supplier",
		Description: "Check a company in the public registers before signing a contract or paying an invoice.",
		Arguments: []protocol.PromptArgument{
			{Name: "cui", Description: "Tax id (CUI) of the supplier, as printed on the invoice.", Required: true},
			{Name: "date", Description: "Date of the invoice, such as 2026-06-10. If omitted, the latest facts are used."},
		},
	},
	{
		Name: "find_caen_code", Title: "Find the CAEN code of an activity",
		Description: "Find the codes of CAEN Rev.3 that fit an activity described in plain words.",
		Arguments: []protocol.PromptArgument{
			{Name: "activity", Description: "What the business does, in Romanian or English.", Required: true},
		},
	},
	{
		Name: "convert_invoice", Title: "Convert an invoice at the official rate",
		Description: "Convert the amount of an invoice in foreign currency to RON, at the rate that the Fiscal Code " +
			"requires.",
		Arguments: []protocol.PromptArgument{
			{Name: "amount", Description: "Amount on the invoice, such as 1250.50.", Required: true},
			{Name: "currency", Description: "Currency of the invoice, such as EUR.", Required: true},
			{Name: "date", Description: "Day on which VAT becomes chargeable, usually the date of the invoice, such as 2026-06-10.", Required: true},
		},
	},
}

// answerPrompt answers prompts/get.
func answerPrompt(p *protocol.Prompt) server.PromptHandlerFunc {
	return func(ctx context.Context, request protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
		if f := checkPrompt(p, request.Params.Arguments); f != nil {
			exchangeOf(ctx).fail(f)
			return new(protocol.GetPromptResult), nil
		}

		text := fill(p.Name+".md", request.Params.Arguments)
		return &protocol.GetPromptResult{Description: p.Description, Messages: []protocol.PromptMessage{
			{Role: protocol.RoleUser, Content: protocol.NewTextContent(text)}}}, nil
	}
}

// checkPrompt rejects arguments that do not match the prompt's.
func checkPrompt(p *protocol.Prompt, args map[string]string) *fault {
	names := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		names[i] = a.Name
		if a.Required && strings.TrimSpace(args[a.Name]) == "" {
			return invalid(protocol.INVALID_PARAMS, "the prompt %s needs the argument %s: %s", p.Name, a.Name,
				a.Description)
		}
	}

	for name := range args {
		if !slices.Contains(names, name) {
			return invalid(protocol.INVALID_PARAMS, "the prompt %s has no argument %s; it has %s", p.Name,
				problem.Quoted(name), strings.Join(names, ", "))
		}
	}

	return nil
}
