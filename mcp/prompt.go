package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/op/problem"
)

// prompt is a message template that a person picks from the client's menu. It tells the model which tools to use and
// which results matter.
type prompt struct {
	protocol.Prompt
	text func(args map[string]string) string
}

var prompts = []prompt{
	{
		Prompt: protocol.Prompt{
			Name: "verify_supplier", Title: "Verify a Romanian supplier",
			Description: "Check a company in the public registers before signing a contract or paying an invoice.",
			Arguments: []protocol.PromptArgument{
				{Name: "cui", Description: "Tax id (CUI) of the supplier, as printed on the invoice.", Required: true},
				{Name: "date", Description: "Date of the invoice, such as 2026-06-10. If omitted, the latest facts are used."},
			},
		},
		text: func(args map[string]string) string {
			with, day := "", "Today's facts count."
			if args["date"] != "" {
				with = ", and with date=" + args["date"]
				day = "The facts on the day of the invoice count: vatPayer, vatOnCollection, inactive.status and " +
					"eInvoice.registered are those on statusDate, while name, seat and state are today's. asOfBasis " +
					"shows where each comes from; if it is periods, report that the value was computed. " +
					"Also call get_company_status once, with the same number and date and with knownAt=" +
					args["date"] + ": if changedRetroactively is true, the registers showed something else on that day than they now say about it, and the buyer could rely on what they showed; report both. Give its receipt as proof of the check."
			}

			return "Verify the Romanian supplier with the CUI " + args["cui"] +
				". Call get_company once with that number, digits only" + with + ". " + day +
				` Then report, in this order:
1. Does the company exist, and what are its registered name and seat? A 404 means that no register knows the number: report that and stop.
2. Is it in operation (stateRegistration)? Anything but in_operation is a warning.
3. Is it registered for VAT (vatPayer), since when (vatSince), and does it apply VAT on collection (vatOnCollection)?
4. Is it declared inactive (inactive.status)? If so, VAT and expenses on its invoices are generally not deductible.
5. Is it in the e-invoice register (eInvoice)?
State how old each source is and whether it is stale (sources). If a value is absent, the register did not provide it: report it as unknown, never as no. End with one line: no objections, or what to clarify before paying.`
		},
	},
	{
		Prompt: protocol.Prompt{
			Name: "find_caen_code", Title: "Find the CAEN code of an activity",
			Description: "Find the codes of CAEN Rev.3 that fit an activity described in plain words.",
			Arguments: []protocol.PromptArgument{
				{Name: "activity", Description: "What the business does, in Romanian or English.", Required: true},
			},
		},
		text: func(args map[string]string) string {
			return "Find the CAEN Rev.3 code for this activity: " + args["activity"] + `
Call search_caen_codes with type=class and two or three everyday words for it as q, in Romanian or English; if nothing fits, try the words of the official name. Then call get_caen_code for the two or three most likely classes, and compare their names and the groups they belong to.
Answer with the best code, its official Romanian name and its English name, why it fits, and the next best code with how it differs. If the activity is worded like a Rev.2 code, say which Rev.3 code replaces it.`
		},
	},
	{
		Prompt: protocol.Prompt{
			Name: "convert_invoice", Title: "Convert an invoice at the official rate",
			Description: "Convert the amount of an invoice in foreign currency to RON, at the rate that the Fiscal Code " +
				"requires.",
			Arguments: []protocol.PromptArgument{
				{Name: "amount", Description: "Amount on the invoice, such as 1250.50.", Required: true},
				{Name: "currency", Description: "Currency of the invoice, such as EUR.", Required: true},
				{Name: "date", Description: "Day on which VAT becomes chargeable, usually the date of the invoice, such as 2026-06-10.", Required: true},
			},
		},
		text: func(args map[string]string) string {
			return fmt.Sprintf(`Convert an invoice of %s %s to RON for the day %s. Call convert_currency with amount=%[1]s, from=%[2]s, to=RON, date=%[3]s and basis=invoice, which takes the last fixing of the National Bank of Romania published before that day (Fiscal Code, art. 290).
Answer with the amount in RON rounded to 2 decimals, the rate with all of its decimals, and the day of the fixing (date), which may be earlier than the requested day.`,
				args["amount"], args["currency"], args["date"])
		},
	},
}

func (p *prompt) get(ctx context.Context, request protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
	if f := p.check(request.Params.Arguments); f != nil {
		exchangeOf(ctx).fail(f)
		return new(protocol.GetPromptResult), nil
	}

	text := protocol.TextContent{Type: "text", Text: p.text(request.Params.Arguments)}
	return &protocol.GetPromptResult{
		Description: p.Description,
		Messages:    []protocol.PromptMessage{{Role: protocol.RoleUser, Content: text}},
	}, nil
}

// check rejects arguments that do not match the prompt's.
func (p *prompt) check(args map[string]string) *fault {
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
