package ask

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

func verifyCommand() *cobra.Command {
	var asked client.VerdictQuery
	q := question{
		use: "verify <tax id>", short: "Verifies a supplier for a day, rule by rule", minArgs: 1, maxArgs: 1,
		long: `
Verifies a supplier for the day of an invoice by named rules: whether it existed, was
inactive, registered for VAT, in operation, insolvent. The flags add what the invoice
says. Each rule passes, fails, is unknown or does not apply. The outcome is stop (a rule
to clear up before paying or deducting fails), incomplete (such a rule is unknown),
attention or clear. The receipt proves the verdict (GET /v1/receipts/{id}).

It costs 1 credit with a key, and nothing if no register has the company.`,
		examples: `  rodata verify 9900000010 --date 2026-06-10
  rodata verify 9900000010 --amount 4900 --payment cash --iban RO49AAAA1B31007593840000`,
		run: func(ctx context.Context, s *session, args []string) error {
			verdict, err := s.VerifySupplier(ctx, args[0], asked)
			if err != nil {
				return err
			}

			return s.printVerdict(verdict)
		},
	}

	cmd := q.command()
	flags := cmd.Flags()
	dayFlag(cmd, &asked.Date, "date", "The day, such as 2026-06-10 (default today)")
	dayFlag(cmd, &asked.KnownAt, "known-at", "Day by the end of which it was known (default: the day)")
	flags.StringVar(&asked.Amount, "amount", "", "Amount paid, in RON: 4900 or 4900.50")
	flags.StringVar(&asked.Payment, "payment", "", "bank or cash")
	complete(cmd, "payment", []string{"bank", "cash"})
	choiceFlag(cmd, &asked.VATCharged, "vat-charged", "yes or no: whether the invoice charges VAT")
	flags.StringVar(&asked.Name, "name", "", "Name on the invoice")
	flags.StringVar(&asked.Address, "address", "", "Address on the invoice, place and county between commas")
	flags.StringVar(&asked.IBAN, "iban", "", "Account to pay to")
	return cmd
}

// outcomes are the outcomes of a verdict in words, and resultTones the tones of a rule's result.
var (
	outcomes = map[client.Outcome]cell{
		client.OutcomeStop:       {"STOP: clear it up before paying or deducting", bad},
		client.OutcomeIncomplete: {"INCOMPLETE: a rule of the level stop is unknown; see why below", doubt},
		client.OutcomeAttention:  {"ATTENTION: look at what fails", doubt},
		client.OutcomeClear:      {"CLEAR: no rule of the levels stop and attention fails", good},
	}
	resultTones = map[string]tone{"pass": good, "unknown": doubt, "not_applicable": quiet}
)

func (s *session) printVerdict(v *client.Verdict) error {
	switch s.form {
	case asJSON:
		return printJSON(s.out, v)
	case asCSV:
		columns := []string{
			"taxId", "name", "date", "knownAt", "outcome", "rule", "level", "result", "reason", "source", "asOf", "law",
		}
		return printCSV(s.out, columns, v.Rules, func(r *client.VerdictRule) []string {
			return []string{fmt.Sprint(v.TaxID), text(v.Name), v.Date.String(), v.KnownAt.String(), string(v.Outcome),
				r.ID, r.Level, r.Result, text(r.Reason), text(r.Source), text(r.AsOf), strings.Join(r.Law, "; ")}
		})
	}

	title := fmt.Sprintf("%s, %d, on %s, as it could be known on %s", supplierName(v), v.TaxID, v.Date, v.KnownAt)
	fmt.Fprintln(s.out, paint(title, strong, s.colours))
	outcome, ok := outcomes[v.Outcome]
	if !ok {
		outcome = cell{string(v.Outcome), neutral} // of a newer gateway
	}

	fmt.Fprintln(s.out, paint(outcome.text, outcome.tone, s.colours))
	t := grid{head: []string{"  RULE", "LEVEL", "RESULT", "EXPLANATION"}}
	var changed []string
	for i := range v.Rules {
		r := &v.Rules[i]
		tone := resultTones[r.Result]
		if r.Result == "fail" && r.Level != "info" {
			tone = bad
		}
		if is := r.Facts.ChangedRetroactively; is != nil && *is {
			changed = append(changed, r.Label.English)
		}

		t.add(cell{text: "  " + r.Label.English}, cell{r.Level, quiet},
			cell{strings.ReplaceAll(r.Result, "_", " "), tone}, cell{text: explanation(r)})
	}

	if err := t.print(s.out, s.colours); err != nil {
		return err
	}
	if len(changed) > 0 {
		fmt.Fprintln(s.out, "\n"+paint("The register now says something else about that day. Use --known-at with today's "+
			"date to see it. Concerned: "+strings.Join(changed, "; "), doubt, s.colours))
	}

	sources := new(grid)
	sources.addSources(v.Sources)
	sources.line("Receipt", cell{text: text(v.Receipt)})
	fmt.Fprintln(s.out)
	return sources.print(s.out, s.colours)
}

// supplierName returns the name of the company, or why there is none.
func supplierName(v *client.Verdict) string {
	if v.Name != nil {
		return *v.Name
	}
	for i := range v.Rules {
		if r := &v.Rules[i]; r.ID == "exists" && r.Result == "fail" {
			return "A company that no register knows"
		}
	}

	return "A company whose name is not known" // because a register did not answer
}

// explanation returns why a rule does not pass, with the days behind a failure and what to compare.
func explanation(r *client.VerdictRule) string {
	if r.Explanation == nil {
		return ""
	}

	parts, facts := []string{r.Explanation.English}, &r.Facts
	add := func(words, value string) {
		if value != "" {
			parts = append(parts, words+" "+value)
		}
	}

	if r.Result == "fail" {
		from := "from"
		if facts.Value != nil && !*facts.Value { // a period that was over
			from = "last period from"
		}

		add(from, text(facts.From))
		add("until", text(facts.To))
		add("entered on", text(facts.EnteredOn))
		add("registered on", text(facts.RegisteredOn))
		add("struck off on", text(facts.StruckOffOn))
	}

	add("registered name:", facts.RegisteredName)
	add("registered place:", facts.City)
	return strings.Join(parts, ", ")
}
